import { describe, expect, test } from 'vitest';
import type { NooutRecord } from '#pkg/drain';
import { nooutSteps, type NooutSituation, type NooutStep } from './noout.ts';

const NOW = 1_000_000;
const TIMEOUT = 30 * 60_000;

function situation(parts: {
  readonly wanted?: string;
  readonly records?: readonly NooutRecord[];
  readonly set?: readonly string[];
  readonly buckets?: readonly string[];
  readonly now?: number;
}): NooutSituation {
  const { records = [], set = [], buckets = ['x', 'y', 'z'], now = NOW } = parts;
  const bucketFlags = new Map(set.map((bucket) => [bucket, ['noout']]));
  return {
    wanted: parts.wanted,
    records,
    osdMap: { epoch: 1, crushVersion: 1, osds: [], pools: [], flags: [], bucketFlags },
    buckets: new Set(buckets),
    now,
    timeoutMs: TIMEOUT,
  };
}

const record = (phase: NooutRecord['phase'], domain = 'x', since = NOW): NooutRecord => ({
  domain,
  since,
  phase,
});
const lines = (steps: readonly NooutStep[]): readonly string[] =>
  steps.map((step) =>
    step.kind === 'remember'
      ? `remember ${step.record.domain} ${step.record.phase}`
      : `${step.kind} ${step.domain}`,
  );
const steps = (parts: Parameters<typeof situation>[0]): readonly string[] =>
  lines(nooutSteps(situation(parts)));

describe('noout', () => {
  test('is remembered before it is set', () => {
    expect(steps({ wanted: 'x' })).toEqual(['remember x setting', 'set x', 'remember x set']);
  });

  test('is left as it is once it is set', () => {
    expect(steps({ wanted: 'x', records: [record('set')], set: ['x'] })).toEqual([]);
  });

  test('after a crash between the two is set, or found set, and remembered', () => {
    expect(steps({ wanted: 'x', records: [record('setting')] })).toEqual(['set x', 'remember x set']);
    expect(steps({ wanted: 'x', records: [record('setting')], set: ['x'] })).toEqual(['remember x set']);
  });

  test('goes when its time is over, and does not come back', () => {
    const old = record('set', 'x', NOW - TIMEOUT);
    expect(steps({ wanted: 'x', records: [old], set: ['x'] })).toEqual(['unset x', 'remember x expired']);
    expect(steps({ wanted: 'x', records: [{ ...old, phase: 'expired' }] })).toEqual([]);
  });

  test('goes when the domain is no longer drained', () => {
    expect(steps({ records: [record('set')], set: ['x'] })).toEqual(['unset x', 'forget x']);
    expect(steps({ wanted: 'y', records: [record('set')], set: ['x'] })).toEqual([
      'unset x',
      'forget x',
      'remember y setting',
      'set y',
      'remember y set',
    ]);
  });

  test('W23 of somebody else is neither taken over nor removed', () => {
    expect(steps({ wanted: 'x', set: ['x', 'y'] })).toEqual([]);
    expect(steps({ set: ['x', 'y'] })).toEqual([]);
  });

  test('that somebody removed is not set again', () => {
    expect(steps({ wanted: 'x', records: [record('set')] })).toEqual(['remember x expired']);
  });

  test('that was set anew by somebody after our time was over is theirs', () => {
    expect(steps({ records: [record('expired')], set: ['x'] })).toEqual(['forget x']);
  });

  test('W21 of a domain that is gone is forgotten', () => {
    expect(steps({ records: [record('set', 'old')], set: ['old'] })).toEqual(['forget old']);
  });

  test('is not taken off where somebody has done so already', () => {
    expect(steps({ records: [record('set')] })).toEqual(['forget x']);
    const old = record('set', 'x', NOW - TIMEOUT);
    expect(steps({ wanted: 'x', records: [old] })).toEqual(['remember x expired']);
  });

  test('is another flag than those that somebody has set', () => {
    const bucketFlags = new Map([['x', ['noin']]]);
    const { osdMap, ...rest } = situation({ wanted: 'x' });
    expect(lines(nooutSteps({ ...rest, osdMap: { ...osdMap, bucketFlags } }))).toEqual([
      'remember x setting',
      'set x',
      'remember x set',
    ]);
  });

  test('is not set on a domain that the CRUSH map does not have', () => {
    expect(steps({ wanted: 'nowhere' })).toEqual([]);
  });
});
