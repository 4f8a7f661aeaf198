import { isRecord, isTrueAt, Kinds, refOf, type ResourceType, type KubeObject } from '#pkg/object';
import type { CodePage, Rule } from './rule.ts';

function mirroredBy(page: CodePage, reads: readonly ResourceType[], mirror: ResourceType): Rule {
  return {
    ...page,
    relation: 'is mirrored by',
    blocks: true,
    reads,
    targets: [mirror],
    *references(object, lookup) {
      if (!wantsMirroring(object)) return;
      for (const daemon of lookup.ofKind(mirror, object.metadata.namespace)) {
        yield { to: refOf(daemon), field: 'spec.mirroring' };
      }
    },
  };
}

/** Pools and filesystems switch it on; for a rados namespace the presence of the section is the switch. */
function wantsMirroring(object: KubeObject): boolean {
  if (object.kind !== 'CephBlockPoolRadosNamespace') return isTrueAt(object, 'spec', 'mirroring', 'enabled');
  const spec = object['spec'];
  return isRecord(spec) && isRecord(spec['mirroring']);
}

export const poolMirror = mirroredBy(
  {
    code: 'RD018',
    title: 'A pool or rados namespace that is mirrored',
    meaning:
      'The CephRBDMirror copies its images to the other site. Without the daemon, replication stops in silence.',
    remedy: ['Disable mirroring on the pools and rados namespaces of the cluster before the CephRBDMirror.'],
  },
  [Kinds.CephBlockPool, Kinds.CephBlockPoolRadosNamespace],
  Kinds.CephRBDMirror,
);

export const filesystemMirror = mirroredBy(
  {
    code: 'RD019',
    title: 'A filesystem that is mirrored',
    meaning:
      'The CephFilesystemMirror copies its snapshots to the other site. Without the daemon, replication stops in silence.',
    remedy: ['Disable mirroring on the filesystems of the cluster before the CephFilesystemMirror.'],
  },
  [Kinds.CephFilesystem],
  Kinds.CephFilesystemMirror,
);
