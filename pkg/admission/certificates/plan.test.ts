import { beforeAll, describe, expect, test } from 'vitest';
import { anAuthority, aServing, TEST_NAMES } from '../testing/certificates.ts';
import { bundleOf, type Material, type ServingCertificate } from './material.ts';
import { planCertificates, type CertificatePlan, type CertificateState } from './plan.ts';
import { DEFAULT_POLICY as POLICY } from './policy.ts';
import type { WebhookCall } from './ports.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2030, 0, 1);

let old: ServingCertificate;
let fresh: ServingCertificate;
let byOld: ServingCertificate;
let byFresh: ServingCertificate;

beforeAll(async () => {
  [old, fresh] = await Promise.all([anAuthority(NOW - 7 * 365 * DAY), anAuthority(NOW)]);
  [byOld, byFresh] = await Promise.all([aServing(old, NOW), aServing(fresh, NOW)]);
});

const TOKEN = '0'.repeat(64);
const LOCKED = `/delete/${TOKEN}`;

function calls(...bundles: string[]): WebhookCall[] {
  return bundles.map((bundle) => ({ bundle, address: LOCKED }));
}

function plan(known: Material, nowMs: number, changes: Partial<CertificateState> = {}): CertificatePlan {
  const material = { token: TOKEN, ...known };
  const published = calls(bundleOf(material, nowMs));
  const state = { material, names: TEST_NAMES, published, leadingSinceMs: nowMs, ...changes };
  return planCertificates(state, POLICY, nowMs);
}

describe('without anything good', () => {
  test.for<{ name: string; material: () => Material }>([
    { name: 'nothing', material: () => ({ authority: {}, serving: {} }) },
    {
      name: 'text',
      material: () => ({ authority: { certificate: 'x', key: 'y' }, serving: { certificate: 'z', key: '' } }),
    },
    {
      name: 'a serving certificate in place of the CA',
      material: () => ({ authority: byFresh, serving: byFresh }),
    },
    {
      name: 'another CA of which the key is lost',
      material: () => ({ authority: { certificate: old.certificate }, serving: byFresh }),
    },
  ])('all is made anew: $name', ({ material }) => {
    expect(plan(material(), NOW).steps).toEqual(['create-authority', 'issue-serving', 'publish']);
  });

  test('of an expired CA nothing is kept', () => {
    const material = { authority: fresh, serving: byFresh };
    expect(plan(material, NOW + 3651 * DAY).steps).toEqual(['create-authority', 'issue-serving', 'publish']);
  });
});

describe('with a good CA', () => {
  test.for<{ name: string; serving: () => Material['serving']; at?: number }>([
    { name: 'is missing', serving: () => ({}) },
    { name: 'is cut off', serving: () => ({ ...byFresh, certificate: byFresh.certificate.slice(0, 200) }) },
    { name: 'has the key of another', serving: () => ({ ...byFresh, key: fresh.key }) },
    { name: 'is signed by a CA that nobody trusts', serving: () => byOld },
    { name: 'has expired', serving: () => byFresh, at: NOW + 90 * DAY },
  ])('what is served is made anew when it $name', ({ serving, at = NOW }) => {
    expect(plan({ authority: fresh, serving: serving() }, at).steps).toEqual(['issue-serving', 'publish']);
  });

  test('a name that is served under from now on needs a new certificate', () => {
    const material = { authority: fresh, serving: byFresh };
    expect(plan(material, NOW, { names: [...TEST_NAMES, 'other.svc'] }).steps).toContain('issue-serving');
  });

  test('nothing is done until two thirds of the life of what is served', () => {
    const material = { authority: fresh, serving: byFresh };
    const { steps, againAtMs } = plan(material, NOW + 59 * DAY);
    expect(steps).toEqual([]);
    expect(againAtMs).toBeGreaterThan(NOW + 59 * DAY);
    expect(againAtMs).toBeLessThan(NOW + 60 * DAY);
    expect(plan(material, againAtMs - 1).steps).toEqual([]);
    expect(plan(material, againAtMs).steps).toEqual(['issue-serving']);
  });

  test('a bundle that differs anywhere is published', () => {
    const material = { authority: fresh, serving: byFresh };
    const published = calls(bundleOf(material, NOW), '');
    expect(plan(material, NOW, { published }).steps).toEqual(['publish']);
    expect(plan(material, NOW, { published: [] }).steps).toEqual([]);
  });
});

describe('a CA', () => {
  test('is replaced after two thirds of its life, and first only published', () => {
    expect(plan({ authority: old, serving: byOld }, NOW).steps).toEqual(['create-authority', 'publish']);
  });

  test('is replaced without a gap when its key is lost', () => {
    const material = { authority: { certificate: fresh.certificate }, serving: byFresh };
    expect(plan(material, NOW).steps).toEqual(['create-authority', 'publish']);
  });

  test('begins to sign when it has been trusted everywhere for a minute', () => {
    const material = { authority: fresh, serving: byOld, previousAuthority: old.certificate };
    expect(plan(material, NOW, { published: calls(old.certificate) }).steps).toEqual(['publish']);
    expect(plan(material, NOW)).toEqual({ steps: [], againAtMs: NOW + MINUTE });
    expect(plan(material, NOW, { publishedSinceMs: NOW - 59_000 }).steps).toEqual([]);
    expect(plan(material, NOW, { publishedSinceMs: NOW - 60_000 }).steps).toEqual(['issue-serving']);
  });

  test('that came before goes an hour after it was last served from', () => {
    const material = { authority: fresh, serving: byFresh, previousAuthority: old.certificate };
    expect(plan(material, NOW + HOUR - 1)).toEqual({ steps: [], againAtMs: NOW + HOUR });
    expect(plan(material, NOW + HOUR).steps).toEqual(['drop-previous', 'publish']);
  });

  test('that came before goes at once when it is unreadable', () => {
    const material = { authority: fresh, serving: byFresh, previousAuthority: 'garbage' };
    expect(plan(material, NOW).steps).toEqual(['drop-previous', 'publish']);
  });
});

describe('a token', () => {
  const good = (): Material => ({ authority: fresh, serving: byFresh, token: undefined });
  const called = (address: string): WebhookCall[] => [{ bundle: fresh.certificate, address }];

  test('is made together with the first certificates', () => {
    const nothing = { authority: {}, serving: {}, token: undefined };
    const steps = ['create-token', 'create-authority', 'issue-serving', 'publish'];
    expect(plan(nothing, NOW, { published: [] }).steps).toEqual(steps);
    expect(plan(nothing, NOW, { published: [{ bundle: '', address: '/delete' }] }).steps).toEqual(steps);
  });

  test('that was lost is made at once, as nobody is called without', () => {
    for (const published of [called(LOCKED), []])
      expect(plan(good(), NOW, { published }).steps).toEqual(['create-token', 'publish']);
  });

  test('waits a minute where the webhooks are called without', () => {
    const published = called('/delete');
    const leadingSinceMs = NOW - 10_000;
    const waiting = { steps: [], againAtMs: NOW + 50_000 };
    expect(plan(good(), NOW, { published, leadingSinceMs })).toEqual(waiting);
    const due = plan(good(), NOW + 50_000, { published, leadingSinceMs });
    expect(due.steps).toEqual(['create-token', 'publish']);
  });

  test('that is missing in a path is published', () => {
    for (const address of ['/delete', `/delete/${'1'.repeat(64)}`]) {
      const published = called(address);
      expect(plan({ authority: fresh, serving: byFresh }, NOW, { published }).steps).toEqual(['publish']);
    }
  });
});
