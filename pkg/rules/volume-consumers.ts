import { fieldAt, Kinds, listAt, recordAt, textAt, type KubeObject, type ObjectRef } from '#pkg/object';
import { refIn } from './ref-in.ts';
import type { Reference, Rule } from './rule.ts';

const own = (object: KubeObject): ObjectRef => ({
  group: '',
  kind: 'PersistentVolume',
  name: object.metadata.name,
});

export const volumeClaim: Rule = {
  code: 'RD031',
  title: 'A claim that is bound to the volume',
  relation: 'is bound to',
  blocks: true,
  reads: [Kinds.PersistentVolume],
  targets: [Kinds.PersistentVolume],
  names: Kinds.PersistentVolumeClaim,
  meaning: 'A PersistentVolumeClaim has the volume. Kubernetes keeps the volume until the claim is deleted.',
  remedy: ['Find the owner of the claim, save the data, and delete the claim.'],
  *references(volume) {
    const phase = textAt(volume, 'status', 'phase');
    const from = refIn(Kinds.PersistentVolumeClaim, fieldAt(volume, 'spec', 'claimRef'));
    // A released volume still names the claim that it had.
    const isOver = phase === 'Released' || phase === 'Failed';
    if (from && !isOver) yield { from, to: own(volume), field: 'spec.claimRef' };
  },
};

export const podClaim: Rule = {
  code: 'RD032',
  title: 'A pod that mounts the claim',
  relation: 'mounts',
  blocks: true,
  reads: [Kinds.Pod],
  targets: [Kinds.PersistentVolumeClaim],
  meaning: 'A pod uses the volume at this moment. Kubernetes keeps the claim until the pod is gone.',
  remedy: ['Stop the workload that the pod belongs to: scale it to zero or delete it.'],
  *references(pod) {
    if (['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase') ?? '')) return;
    for (const [at, volume] of listAt(pod, 'spec', 'volumes').entries()) {
      const name = claimName(pod, volume);
      const to = { group: '', kind: 'PersistentVolumeClaim', namespace: pod.metadata.namespace };
      if (name) yield { to: { ...to, name }, field: `spec.volumes[${at}]` };
    }
  },
};

/** An ephemeral volume has a claim named after pod and volume. */
function claimName(pod: KubeObject, volume: unknown): string | undefined {
  const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
  if (claim) return claim;
  const isEphemeral = Object.keys(recordAt(volume, 'ephemeral')).length > 0;
  return isEphemeral ? `${pod.metadata.name}-${textAt(volume, 'name') ?? ''}` : undefined;
}

export const volumeAttachment: Rule = {
  code: 'RD033',
  title: 'The volume is attached to a node',
  relation: 'attaches',
  blocks: true,
  reads: [Kinds.VolumeAttachment],
  targets: [Kinds.PersistentVolume],
  meaning:
    'The volume is mapped or mounted on a node. Taking its storage away leaves processes hanging in I/O.',
  remedy: [
    'Stop the pods that use the volume; Kubernetes detaches it. If the node is dead, see its documentation.',
  ],
  *references(attachment) {
    const name = textAt(attachment, 'spec', 'source', 'persistentVolumeName');
    const node = textAt(attachment, 'spec', 'nodeName');
    const reference: Reference = {
      to: { group: '', kind: 'PersistentVolume', name: name ?? '' },
      field: 'spec.source.persistentVolumeName',
    };
    if (name) yield node ? { ...reference, detail: `node ${node}` } : reference;
  },
};

export const volumeSnapshot: Rule = {
  code: 'RD034',
  title: 'A snapshot that is bound to the content',
  relation: 'is bound to',
  blocks: true,
  reads: [Kinds.VolumeSnapshotContent],
  targets: [Kinds.VolumeSnapshotContent],
  names: Kinds.VolumeSnapshot,
  meaning: 'A VolumeSnapshot has the content. Somebody made it to be able to go back.',
  remedy: ['Find the owner of the VolumeSnapshot and delete it once nobody needs it.'],
  *references(content) {
    const from = refIn(Kinds.VolumeSnapshot, fieldAt(content, 'spec', 'volumeSnapshotRef'));
    const to = {
      group: 'snapshot.storage.k8s.io',
      kind: 'VolumeSnapshotContent',
      name: content.metadata.name,
    };
    if (from) yield { from, to, field: 'spec.volumeSnapshotRef' };
  },
};

export const volumeClass: Rule = {
  code: 'RD038',
  title: 'A volume that was made by the StorageClass',
  relation: 'was made by',
  blocks: false,
  reads: [Kinds.PersistentVolume],
  targets: [Kinds.StorageClass],
  meaning: 'The volume was provisioned through the class. It does not need the class any more.',
  remedy: ['Nothing has to be done before a deletion: a volume outlives its class.'],
  *references(volume) {
    const name = textAt(volume, 'spec', 'storageClassName');
    const to = { group: 'storage.k8s.io', kind: 'StorageClass' };
    if (name) yield { to: { ...to, name }, field: 'spec.storageClassName' };
  },
};
