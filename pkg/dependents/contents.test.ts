import { describe, expect, test } from 'vitest';
import { aPool } from '#test/fixtures/objects.ts';
import { withContents } from './contents.ts';
import { NOTHING, stateOf, type Finding } from './finding.ts';

const SIGNAL = new AbortController().signal;
const HELD: Finding = {
  blockers: [{ group: '', kind: 'PersistentVolume', name: 'pv', code: 'RD023' }],
  counts: { PersistentVolume: 1 },
  gaps: [],
};

describe('what Ceph holds', () => {
  const image = { items: [{ kind: 'RBDImage', name: 'i' }], gaps: [] };

  test('holds a resource that nothing else does', async () => {
    const find = withContents(async () => NOTHING, { contentsOf: async () => image });
    expect(await find(aPool('p'), SIGNAL)).toEqual({
      blockers: [{ group: 'ceph', kind: 'RBDImage', name: 'i', code: 'RD027' }],
      counts: { RBDImage: 1 },
      gaps: [],
    });
  });

  test('is a doubt when Ceph does not answer', async () => {
    const gaps = [{ what: 'images', reason: 'no answer' }];
    const find = withContents(async () => NOTHING, { contentsOf: async () => ({ items: [], gaps }) });
    expect(stateOf(await find(aPool('p'), SIGNAL))).toBe('unknown');
  });

  test('is not asked for when something else holds the resource', async () => {
    const find = withContents(async () => HELD, { contentsOf: () => Promise.reject(new Error('asked')) });
    expect(await find(aPool('p'), SIGNAL)).toBe(HELD);
  });
});
