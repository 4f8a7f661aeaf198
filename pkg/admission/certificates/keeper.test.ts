import { describe, expect, test } from 'vitest';
import { silentLogger } from '#pkg/log';
import { anAuthority, aServing, TEST_NAMES } from '../testing/certificates.ts';
import { FakeCaBundles, FakeSecret } from '../testing/fake-ports.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { CertificateKeeper } from './keeper.ts';
import { bundleOf, inspect, materialOf, secretDataOf, type ServingCertificate } from './material.ts';
import type { WebhookTrust } from './ports.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2030, 0, 1);
const signal = new AbortController().signal;
const NEW = { bundle: '', address: '/delete' };

function setUp(secret = new FakeSecret(), caBundles = new FakeCaBundles(2, 1), clock = new ManualClock(NOW)) {
  const used: ServingCertificate[] = [];
  const tokens: (string | undefined)[] = [];
  const keeper = new CertificateKeeper({
    secret,
    caBundles,
    names: TEST_NAMES,
    use: (serving) => used.push(serving),
    useToken: (token) => tokens.push(token),
    clock,
    logger: silentLogger,
  });
  const seen = () => inspect(materialOf(secret.stored?.data ?? {}), TEST_NAMES, clock.now());
  const bundle = () => bundleOf(materialOf(secret.stored?.data ?? {}), clock.now());
  const token = () => materialOf(secret.stored?.data ?? {}).token;
  const calls = () => caBundles.trusts.flatMap(({ webhooks }) => webhooks);
  const due = () => ({ bundle: bundle(), address: `/delete/${token()}` });
  return { keeper, secret, caBundles, clock, used, tokens, seen, bundle, token, calls, due };
}

function without(data: Record<string, string>, key: string): Record<string, string> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== key));
}

describe('the leader', () => {
  test('makes all from nothing, in one write, and tells every webhook', async () => {
    const { keeper, secret, seen, calls, due } = setUp();
    expect(await keeper.maintain(signal)).toBeGreaterThan(59 * DAY);
    expect(seen()).toMatchObject({ authority: { canSign: true }, serving: { signedBy: 'authority' } });
    expect(secret.writes).toBe(1);
    expect(calls()).toEqual([due(), due(), due()]);
  });

  test('writes nothing when all is well', async () => {
    const { keeper, secret, caBundles } = setUp();
    await keeper.maintain(signal);
    const published = caBundles.history.length;
    await keeper.maintain(signal);
    expect(secret.writes).toBe(1);
    expect(caBundles.history).toHaveLength(published);
  });

  test('renews what is served without touching the bundle', async () => {
    const { keeper, secret, caBundles, clock, bundle } = setUp();
    clock.advance(await keeper.maintain(signal));
    const before = bundle();
    await keeper.maintain(signal);
    expect(secret.writes).toBe(2);
    expect(bundle()).toBe(before);
    expect(caBundles.history).toHaveLength(2);
  });

  test('replaces a CA in three moves, and at each the bundle covers what is served', async () => {
    const authority = await anAuthority(NOW - 7 * 365 * DAY);
    const serving = await aServing(authority, NOW);
    const secret = new FakeSecret(secretDataOf({ authority, serving }));
    const { keeper, caBundles, clock, seen } = setUp(secret);

    clock.advance(await keeper.maintain(signal));
    expect(seen().serving?.signedBy).toBe('previous');
    expect(caBundles.history.at(-1)?.match(/BEGIN/g)).toHaveLength(2);
    expect(clock.now()).toBe(NOW + 60_000);

    clock.advance(await keeper.maintain(signal));
    expect(seen()).toMatchObject({ previous: { canSign: false }, serving: { signedBy: 'authority' } });
    expect(clock.now()).toBe(NOW + 60_000 + HOUR);

    await keeper.maintain(signal);
    expect(seen().previous).toBeUndefined();
    expect(caBundles.history.at(-1)?.match(/BEGIN/g)).toHaveLength(1);
    expect(secret.writes).toBe(3);
  });

  test('goes on with a rotation that another leader began', async () => {
    const authority = await anAuthority(NOW - 7 * 365 * DAY);
    const secret = new FakeSecret(secretDataOf({ authority, serving: await aServing(authority, NOW) }));
    const first = setUp(secret);
    await first.keeper.maintain(signal);
    const { keeper, clock, seen } = setUp(secret, first.caBundles);
    clock.advance(await keeper.maintain(signal));
    await keeper.maintain(signal);
    expect(seen().serving?.signedBy).toBe('authority');
  });

  test('starts to wait anew when a webhook lost the bundle meanwhile', async () => {
    const authority = await anAuthority(NOW - 7 * 365 * DAY);
    const secret = new FakeSecret(secretDataOf({ authority, serving: await aServing(authority, NOW) }));
    const { keeper, caBundles, clock, seen } = setUp(secret);
    await keeper.maintain(signal);
    caBundles.trusts.push({ configuration: 'new', resourceVersion: '1', webhooks: [NEW] });
    clock.advance(60_000);
    expect(await keeper.maintain(signal)).toBe(60_000);
    expect(seen().serving?.signedBy).toBe('previous');
  });

  test.for<{ name: string; edit: (data: Record<string, string>) => Record<string, string> }>([
    { name: 'emptied', edit: () => ({}) },
    {
      name: 'with empty entries',
      edit: (data) => Object.fromEntries(Object.keys(data).map((key) => [key, ''])),
    },
    { name: 'with a CA key cut off', edit: (data) => ({ ...data, 'ca.key': 'x' }) },
    { name: 'without the serving key', edit: (data) => without(data, 'tls.key') },
    { name: 'without the token', edit: (data) => without(data, 'path-token') },
    { name: 'with half a token', edit: (data) => ({ ...data, 'path-token': 'abc' }) },
    { name: 'with garbage as the previous CA', edit: (data) => ({ ...data, 'previous-ca.crt': 'x' }) },
  ])('heals a Secret $name', async ({ edit }) => {
    const { keeper, secret, seen, calls, due } = setUp();
    await keeper.maintain(signal);
    secret.stored = { data: edit({ ...secret.stored?.data }), resourceVersion: '9' };
    await keeper.maintain(signal);
    expect(seen()).toMatchObject({ authority: { canSign: true }, serving: {} });
    expect(calls()).toEqual([due(), due(), due()]);
  });

  test('gives way to another that was quicker, and publishes what that one made', async () => {
    const secret = new FakeSecret();
    const caBundles = new FakeCaBundles(1);
    const rival = setUp(secret, caBundles);
    const { keeper, bundle } = setUp(secret, caBundles);
    secret.beforeWrite = async () => void (await rival.keeper.maintain(signal));
    await keeper.maintain(signal);
    expect(secret.writes).toBe(1);
    expect(new Set(caBundles.history)).toEqual(new Set([bundle()]));
  });

  test('that was held up cannot publish what has become old', async () => {
    const secret = new FakeSecret();
    const caBundles = new FakeCaBundles(1);
    const rival = setUp(secret, caBundles);
    const { keeper, bundle, due } = setUp(secret, caBundles);
    caBundles.beforePublish = async () => {
      secret.stored = { data: {}, resourceVersion: '9' };
      await rival.keeper.maintain(signal);
    };
    await keeper.maintain(signal);
    expect(caBundles.trusts[0]?.webhooks).toEqual([due()]);
    expect(new Set(caBundles.history)).toEqual(new Set([bundle()]));
  });
});

describe('the token', () => {
  async function ofBefore() {
    const authority = await anAuthority(NOW);
    const secret = new FakeSecret(secretDataOf({ authority, serving: await aServing(authority, NOW) }));
    const caBundles = new FakeCaBundles(1);
    const { webhooks: _, ...trust } = caBundles.trusts[0] as WebhookTrust;
    caBundles.trusts = [{ ...trust, webhooks: [{ bundle: authority.certificate, address: '/delete' }] }];
    return setUp(secret, caBundles);
  }

  test('stays when certificates are renewed and replaced', async () => {
    const { keeper, clock, token } = setUp();
    clock.advance(await keeper.maintain(signal));
    const first = token();
    for (let years = 0; years < 10; years += 1) {
      clock.advance(365 * DAY);
      await keeper.maintain(signal);
    }
    expect([first, token()]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), first]);
  });

  test('is put back into a path that somebody has reset', async () => {
    const { keeper, caBundles, secret, calls, due } = setUp(new FakeSecret(), new FakeCaBundles(1));
    await keeper.maintain(signal);
    const [trust] = caBundles.trusts as [WebhookTrust];
    caBundles.trusts = [{ ...trust, webhooks: [{ ...due(), address: '/delete' }] }];
    await keeper.maintain(signal);
    expect(calls()).toEqual([due()]);
    expect(secret.writes).toBe(1);
  });

  test('of an installation that had none is made when its replicas have had a minute to go', async () => {
    const { keeper, secret, clock, tokens, token, calls, due } = await ofBefore();
    await keeper.reload(signal);
    expect(await keeper.maintain(signal)).toBe(60_000);
    expect([secret.writes, token(), tokens]).toEqual([0, undefined, [undefined]]);
    clock.advance(60_000);
    await keeper.maintain(signal);
    await keeper.reload(signal);
    expect(calls()).toEqual([due()]);
    expect([secret.writes, tokens]).toEqual([1, [undefined, token()]]);
  });

  test('that was lost stays in force until there is another', async () => {
    const { keeper, secret, tokens, token } = setUp();
    await keeper.maintain(signal);
    await keeper.reload(signal);
    const first = token();
    secret.stored = { data: without({ ...secret.stored?.data }, 'path-token'), resourceVersion: '9' };
    await keeper.reload(signal);
    expect(tokens).toEqual([first]);
    await keeper.maintain(signal);
    await keeper.reload(signal);
    expect(tokens).toEqual([first, token()]);
    expect(token()).not.toBe(first);
  });
});

describe('a replica', () => {
  test('has nothing to serve until the leader made it', async () => {
    const { keeper, used } = setUp();
    expect(await keeper.reload(signal)).toBe(false);
    expect([keeper.isReady, keeper.certificateExpiry()]).toEqual([false, {}]);
    await keeper.maintain(signal);
    expect(await keeper.reload(signal)).toBe(true);
    expect(used).toHaveLength(1);
    expect(keeper.certificateExpiry()).toEqual({ servingMs: NOW + 90 * DAY, authorityMs: NOW + 3650 * DAY });
  });

  test('takes up a certificate once, and keeps it when the Secret is spoilt', async () => {
    const { keeper, secret, used } = setUp();
    await keeper.maintain(signal);
    await keeper.reload(signal);
    await keeper.reload(signal);
    secret.stored = { data: { 'tls.crt': 'x' }, resourceVersion: '9' };
    expect(await keeper.reload(signal)).toBe(true);
    expect(used).toHaveLength(1);
  });

  test('follows the Secret when told of a change, and ends with its signal', async () => {
    const { keeper, clock, used } = setUp();
    const stop = new AbortController();
    const asleep = clock.nextSleep();
    const following = keeper.follow(stop.signal);
    await asleep;
    await keeper.maintain(signal);
    const again = clock.nextSleep();
    keeper.changed();
    await again;
    expect(used).toHaveLength(1);
    stop.abort();
    await following;
    expect(clock.sleeperCount).toBe(0);
  });

  test('tries again when the Secret could not be read', async () => {
    const secret = new FakeSecret();
    await setUp(secret).keeper.maintain(signal);
    const { keeper, clock, used } = setUp(secret);
    const read = secret.read.bind(secret);
    secret.read = () => Promise.reject(new Error('gone'));
    const stop = new AbortController();
    let asleep = clock.nextSleep();
    const following = keeper.follow(stop.signal);
    await asleep;
    secret.read = read;
    asleep = clock.nextSleep();
    clock.advance(2_000);
    await asleep;
    expect(used).toHaveLength(1);
    stop.abort();
    await following;
  });
});
