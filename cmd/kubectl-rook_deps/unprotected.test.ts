import { expect, test } from 'vitest';
import { KNOWN_TYPES, ResourceTypes, type KubeObject, type ListRequest } from '#pkg/object';
import { findUnprotected } from './unprotected.ts';
import type { Source } from './wiring.ts';

function pool(name: string, inCeph?: string): KubeObject {
  const spec = inCeph ? { name: inCeph } : {};
  return {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephBlockPool',
    metadata: { name, namespace: 'rook-ceph' },
    spec,
  };
}

test('a pool of Ceph itself is not said to hold volumes', async () => {
  const pools = [pool('builtin-mgr', '.mgr'), pool('replicapool'), pool('rgw-root', '.rgw.root')];
  const reader = {
    types: async () => new ResourceTypes(KNOWN_TYPES),
    list: async ({ kind }: ListRequest) => ({
      items: kind.kind === 'CephBlockPool' ? pools : [],
      gaps: [],
    }),
  };
  const advice = await findUnprotected(
    { reader } as unknown as Source,
    undefined,
    { usages: [], services: [] },
    () => undefined,
    AbortSignal.timeout(1_000),
  );
  expect(advice.map(({ object, why }) => `${object.metadata.name}: ${why}`)).toEqual([
    'builtin-mgr: the records of the managers go with it',
    'replicapool: the block volumes in it go with it',
    'rgw-root: the realms and zones of all object stores go with it',
  ]);
});
