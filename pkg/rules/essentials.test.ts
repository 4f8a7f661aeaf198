import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Edge } from '#pkg/graph';
import { isRookKind, refOf, type KubeObject } from '#pkg/object';
import { aCluster, aFilesystem, aPool, aStore, aVolume } from '#test/fixtures/objects.ts';
import { exampleObjects } from '#test/fixtures/examples.ts';
import { worldObject } from '#test/fixtures/worlds.ts';
import { DependencyIndex } from './dependency-index.ts';
import { essentialsOf } from './essentials.ts';

const PROVIDERS = [aCluster(), aPool('p'), aFilesystem('f'), aStore('s')].map(refOf);

function holds(objects: readonly KubeObject[]): {
  readonly edges: readonly Edge[];
  readonly doubts: unknown;
} {
  const index = new DependencyIndex(objects);
  const edges = index.graph
    .edges()
    .filter(({ provider, blocks, code }) => blocks && isRookKind(provider) && code !== 'RD039');
  return { edges, doubts: PROVIDERS.map((provider) => index.doubtsAbout(provider)) };
}

const essentials = (objects: readonly KubeObject[]): readonly KubeObject[] =>
  objects.flatMap((object) => essentialsOf(object) ?? []);

describe('the essentials of objects', () => {
  test('hold the same resources as the objects themselves', () => {
    fc.assert(
      fc.property(fc.array(worldObject, { maxLength: 15 }), (objects) => {
        expect(holds(essentials(objects))).toEqual(holds(objects));
      }),
      { numRuns: 200 },
    );
  });

  test('hold the same resources in the example cluster', async () => {
    const objects = await exampleObjects();
    expect(holds(objects).edges.length).toBeGreaterThan(50);
    expect(holds(essentials(objects))).toEqual(holds(objects));
  });

  test('do not change with what changes every minute', () => {
    const parts = { spec: { mon: { count: 3 } } };
    const before = aCluster('c', { ...parts, status: { ceph: { lastChecked: 'earlier' } } });
    const after = aCluster('c', {
      ...parts,
      annotations: { a: 'b' },
      status: { ceph: { lastChecked: 'now' } },
    });
    expect(essentialsOf(after)).toEqual(essentialsOf(before));
  });

  test('of a volume of another driver are none', () => {
    const volume = aVolume('v', { attributes: {} });
    const spec = { csi: { driver: 'disk.example.com', volumeHandle: 'h' } };
    expect(essentialsOf({ ...volume, spec })).toBeUndefined();
  });
});
