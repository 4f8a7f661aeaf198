import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Kinds, KNOWN_TYPES, parseObject, type KubeObject } from '#pkg/object';
import { aFilesystem, aHandle, anObject, aPool, aStore } from '#test/fixtures/objects.ts';
import { DependencyIndex } from './dependency-index.ts';

/** Every field that a rule asks for, so that random documents get past the first question. */
const FIELDS = [
  'spec status name namespace caps osd csi driver provisioner parameters volumeAttributes volumeHandle clusterID pool',
  'dataPool fsName radosNamespace subvolumePath rootPath topologyConstrainedPools source snapshotHandle claimRef volumes',
  'persistentVolumeClaim claimName ephemeral sharedPools poolPlacements storageClasses dataPoolName default mirroring',
  'enabled zone zoneGroup realm pull gateway externalRgwEndpoints metadataPool dataPools preservePoolNames rados',
  'blockPoolName filesystemName store clusterNamespace accountRef topic objectStoreName objectStoreNamespace endpoint',
  'additionalState bucketHost objectBucketName storageClassName bucketClaim bucketClaims cephConnectionRef info',
  'cleanupPolicy allowUninstallWithVolumes poolID phase nodeName volumeSnapshotRef __proto__ constructor toString length',
  'driverName objectStoreUserSecretName objectStoreUserSecretNamespace cephUser subVolumeGroup rbd cephFs',
  'metadata labels ownerReferences creationTimestamp uid apiVersion kind',
].flatMap((line) => line.split(' '));

const leaf = fc.oneof(
  fc.constantFrom<unknown>('', 'a', 'rook-ceph', 'x.rbd.csi.ceph.com', 'x.cephfs.csi.ceph.com', '__proto__'),
  fc.constantFrom<unknown>(
    'pool=a, tag cephfs data=a',
    '[{"poolName":1}]',
    aHandle('rook-ceph', 1),
    '\u0000',
  ),
  fc.constantFrom<unknown>(null, true, 0, -1, Number.MAX_SAFE_INTEGER),
);
const { document } = fc.letrec<{ document: unknown }>((tie) => ({
  document: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('document'), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...FIELDS), tie('document')), { maxLength: 8 }).map(entriesToJson),
  ),
}));

/** As JSON.parse does it: `__proto__` becomes a field like any other. */
function entriesToJson(entries: readonly (readonly [string, unknown])[]): unknown {
  return JSON.parse(
    `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`,
  );
}

function resolve(objects: readonly KubeObject[]): number {
  return new DependencyIndex(objects).graph.edges().length;
}

const witnesses = [aPool('a'), aFilesystem('a'), aStore('a')];

describe('a rule never throws', () => {
  test('whatever an object holds', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KNOWN_TYPES),
        document,
        document,
        document,
        (type, spec, status, more) => {
          const fields = more && typeof more === 'object' && !Array.isArray(more) ? more : {};
          const object = { ...fields, ...anObject(type, 'a', { spec, status }) };
          expect(() => resolve([object, ...witnesses])).not.toThrow();
        },
      ),
      { numRuns: 1000 },
    );
  });

  test.for(KNOWN_TYPES)('for $kind with a spec of another type', (type) => {
    const oddities: readonly unknown[] = ['text', 7, true, null, [], [[]], ['a'], { name: {} }];
    for (const odd of oddities) {
      const object = anObject(type, 'a', { spec: odd, status: odd, parameters: odd, provisioner: odd });
      expect(() => resolve([object, ...witnesses])).not.toThrow();
    }
  });

  test('whatever metadata that passes for an object', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KNOWN_TYPES), document, (type, more) => {
        const { metadata, ...object } = anObject(type, 'a', { spec: { zoneGroup: 'a', realm: 'a' } });
        const parsed = parseObject({ ...object, metadata: { ...(more as object), ...metadata } });
        if (typeof parsed === 'string') return;
        expect(() => resolve([parsed])).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

test('__proto__ as a name or key stays a name or key', () => {
  const spec: unknown = JSON.parse('{"__proto__": {"blockPoolName": "a"}, "caps": {"__proto__": "pool=a"}}');
  const byPrototype = anObject(Kinds.CephBlockPoolRadosNamespace, 'n', { spec });
  const client = anObject(Kinds.CephClient, '__proto__', { spec });
  const edges = new DependencyIndex([byPrototype, client, aPool('a')]).graph.edges();
  expect(edges.map(({ code, field }) => [code, field])).toEqual([['RD017', 'spec.caps.__proto__']]);
  expect(({} as Record<string, unknown>)['blockPoolName']).toBeUndefined();
});
