import { describe, expect, test } from 'vitest';
import { refOf, type KubeObject } from '#pkg/object';
import { namespace } from '#test/fakes/usage-world.ts';
import { aPool } from '#test/fixtures/objects.ts';
import { withContents, type ContentsPorts } from './contents.ts';
import { NOTHING, stateOf, type Finding } from './finding.ts';

const SIGNAL = new AbortController().signal;
const HELD: Finding = {
  blockers: [{ group: '', kind: 'PersistentVolume', name: 'pv', code: 'RD023' }],
  counts: { PersistentVolume: 1 },
  gaps: [],
};

function asking(
  contentsOf: ContentsPorts['contents']['contentsOf'],
  ...goingAlong: readonly KubeObject[]
): ContentsPorts {
  return { contents: { contentsOf }, takenAlong: async () => ({ items: goingAlong, gaps: [] }) };
}

describe('what Ceph holds', () => {
  const image = { items: [{ kind: 'RBDImage', name: 'i' }], gaps: [] };

  test('holds a resource that nothing else does', async () => {
    const find = withContents(
      async () => NOTHING,
      asking(async () => image),
    );
    expect(await find(aPool('p'), SIGNAL)).toEqual({
      blockers: [{ group: 'ceph', kind: 'RBDImage', name: 'i', code: 'RD050' }],
      counts: { RBDImage: 1 },
      gaps: [],
    });
  });

  test('W3, W4, W16: is a doubt when Ceph does not answer', async () => {
    const gaps = [{ what: 'images', reason: 'no answer' }];
    const find = withContents(
      async () => NOTHING,
      asking(async () => ({ items: [], gaps })),
    );
    const finding = await find(aPool('p'), SIGNAL);
    expect(stateOf(finding)).toBe('unknown');
    expect(finding.lacksCeph).toBe(true);
  });

  test('is not asked for when something else holds the resource', async () => {
    const find = withContents(
      async () => HELD,
      asking(() => Promise.reject(new Error('asked'))),
    );
    expect(await find(aPool('p'), SIGNAL)).toBe(HELD);
  });

  test.for([
    ['RBDImage', 'RD050'],
    ['RBDSnapshot', 'RD051'],
    ['RBDTrash', 'RD052'],
    ['Subvolume', 'RD053'],
    ['Bucket', 'RD054'],
    ['RADOSObjects', 'RD055'],
    ['PeerZone', 'RD056'],
  ] as const)('is told with the code of its kind: %s, %s', async ([kind, code]) => {
    const find = withContents(
      async () => NOTHING,
      asking(async () => ({ items: [{ kind, name: 'x' }], gaps: [] })),
    );
    expect((await find(aPool('p'), SIGNAL)).blockers).toEqual([{ group: 'ceph', kind, name: 'x', code }]);
  });

  test('holds the namespace with which it would go, and says in what it is', async () => {
    const [full, empty] = [aPool('full'), aPool('empty')];
    const find = withContents(
      async () => NOTHING,
      asking(
        async ({ metadata }) => (metadata.name === 'full' ? image : { items: [], gaps: [] }),
        full,
        empty,
      ),
    );
    expect((await find(namespace('rook-ceph'), SIGNAL)).blockers).toEqual([
      { group: 'ceph', kind: 'RBDImage', name: 'i', code: 'RD050', of: refOf(full) },
    ]);
  });
});
