import { test } from 'vitest';
import { Kinds } from '#pkg/object';
import { aClass, anObject, aVolume, type Parts } from '#test/fixtures/objects.ts';
import { expectEdges, type RuleRow } from '#test/fixtures/rule-rows.ts';

const aClaim = (name: string, namespace = 'apps') =>
  anObject(Kinds.PersistentVolumeClaim, name, { namespace, spec: { volumeName: 'v' } });
const bound = (status?: unknown) =>
  aVolume('v', { spec: { claimRef: { namespace: 'apps', name: 'data' } }, status });
const aPod = (volumes: unknown, parts: Parts = {}) =>
  anObject(Kinds.Pod, 'web-0', { namespace: 'apps', ...parts, spec: { volumes } });
const mounts = (claim: string, at: number) =>
  `Pod apps/web-0 → PersistentVolumeClaim apps/${claim} at spec.volumes[${at}]`;
const anAttachment = (spec: unknown) => anObject(Kinds.VolumeAttachment, 'att', { spec });
const aContent = (volumeSnapshotRef: unknown) =>
  anObject(Kinds.VolumeSnapshotContent, 'content', { spec: { volumeSnapshotRef } });

test.for<RuleRow>([
  // An available volume with a claim is reserved for it.
  ...[undefined, { phase: 'Bound' }, { phase: 'Available' }].map((status) => ({
    name: `reads the claim of a volume with status ${JSON.stringify(status)}`,
    objects: [bound(status), aClaim('data'), aClaim('data-2'), aClaim('data', 'other')],
    edges: ['PersistentVolumeClaim apps/data → PersistentVolume v at spec.claimRef'],
  })),
  ...['Released', 'Failed'].map((phase) => ({
    name: `forgets the claim of a volume that is ${phase}`,
    objects: [bound({ phase }), aClaim('data')],
    edges: [],
  })),
  {
    name: 'keeps the mention of a claim that is missing',
    objects: [bound()],
    edges: ['PersistentVolumeClaim apps/data → PersistentVolume v at spec.claimRef'],
  },
  {
    name: 'finds nothing without a claim',
    objects: [aVolume('v', { spec: { claimRef: { namespace: 'apps' } } }), aClaim('v')],
    edges: [],
  },
])('RD031 (bound claim) $name', (row) => {
  expectEdges('RD031', row);
});

test.for<RuleRow>([
  {
    name: 'reads the claims of a pod',
    objects: [
      aPod([
        { name: 'config', configMap: { name: 'data' } },
        { name: 'x', persistentVolumeClaim: { claimName: 'data' } },
      ]),
      aClaim('data'),
      aClaim('data', 'other'),
      aClaim('x'),
    ],
    edges: [mounts('data', 1)],
  },
  {
    name: 'makes the name of an ephemeral claim',
    objects: [aPod([{ name: 'scratch', ephemeral: { volumeClaimTemplate: {} } }]), aClaim('web-0-scratch')],
    edges: [mounts('web-0-scratch', 0)],
  },
  ...['Succeeded', 'Failed'].map((phase) => ({
    name: `leaves a pod that has ${phase} out`,
    objects: [
      aPod([{ persistentVolumeClaim: { claimName: 'data' } }], { status: { phase } }),
      aClaim('data'),
    ],
    edges: [],
  })),
  ...['Pending', 'Running', 'Unknown'].map((phase) => ({
    name: `counts a pod that is ${phase}`,
    objects: [
      aPod([{ persistentVolumeClaim: { claimName: 'data' } }], { status: { phase } }),
      aClaim('data'),
    ],
    edges: [mounts('data', 0)],
  })),
  {
    name: 'keeps the mention of a claim that is missing',
    objects: [aPod([{ persistentVolumeClaim: { claimName: 'gone' } }])],
    edges: [mounts('gone', 0)],
  },
  {
    name: 'finds nothing in other volumes',
    objects: [aPod([{ name: 'data', emptyDir: {} }, 'data', null, { ephemeral: {} }]), aClaim('data')],
    edges: [],
  },
])('RD032 (mounted claim) $name', (row) => {
  expectEdges('RD032', row);
});

test.for<RuleRow>([
  {
    name: 'reads the volume and the node',
    objects: [
      anAttachment({ nodeName: 'n1', source: { persistentVolumeName: 'v' } }),
      aVolume('v'),
      aVolume('v2'),
    ],
    edges: ['VolumeAttachment att → PersistentVolume v at spec.source.persistentVolumeName (node n1)'],
  },
  {
    name: 'keeps the mention of a volume that is missing, and needs no node',
    objects: [anAttachment({ source: { persistentVolumeName: 'v' } })],
    edges: ['VolumeAttachment att → PersistentVolume v at spec.source.persistentVolumeName'],
  },
  {
    name: 'finds nothing in an inline volume',
    objects: [anAttachment({ nodeName: 'n1', source: { inlineVolumeSpec: {} } }), aVolume('att')],
    edges: [],
  },
])('RD033 (attached volume) $name', (row) => {
  expectEdges('RD033', row);
});

test.for<RuleRow>([
  {
    name: 'reads the snapshot of the content',
    objects: [
      aContent({ namespace: 'apps', name: 'snap' }),
      anObject(Kinds.VolumeSnapshot, 'snap', { namespace: 'apps' }),
      anObject(Kinds.VolumeSnapshot, 'snap', { namespace: 'other' }),
    ],
    edges: ['VolumeSnapshot apps/snap → VolumeSnapshotContent content at spec.volumeSnapshotRef'],
  },
  {
    name: 'keeps the mention of a snapshot that is missing',
    objects: [aContent({ namespace: 'apps', name: 'snap' })],
    edges: ['VolumeSnapshot apps/snap → VolumeSnapshotContent content at spec.volumeSnapshotRef'],
  },
  { name: 'finds nothing without a name', objects: [aContent({ namespace: 'apps' })], edges: [] },
])('RD034 (bound snapshot) $name', (row) => {
  expectEdges('RD034', row);
});

test.for<RuleRow>([
  {
    name: 'reads the class of a volume',
    objects: [
      aVolume('v', { spec: { storageClassName: 'sc' } }),
      aClass('sc', 'ebs.csi.aws.com', {}),
      aClass('sc-2', 'ebs.csi.aws.com', {}),
    ],
    edges: ['shown: PersistentVolume v → StorageClass sc at spec.storageClassName'],
  },
  {
    name: 'keeps the mention of a class that is missing',
    objects: [aVolume('v', { spec: { storageClassName: 'gone' } })],
    edges: ['shown: PersistentVolume v → StorageClass gone at spec.storageClassName'],
  },
  {
    name: 'takes the empty class for none',
    objects: [aVolume('v', { spec: { storageClassName: '' } }), aClass('v', 'x', {})],
    edges: [],
  },
])('RD038 (class of a volume) $name', (row) => {
  expectEdges('RD038', row);
});
