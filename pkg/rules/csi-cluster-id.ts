import { createHash } from 'node:crypto';
import { refOf, textAt, type KubeObject } from '#pkg/object';

/** The CSI clusterIDs that lead to this object. */
export function clusterIdsOf(object: KubeObject): readonly string[] {
  switch (`${refOf(object).group}/${object.kind}`) {
    case 'ceph.rook.io/CephBlockPoolRadosNamespace':
      return idsOf(object, 'block', textAt(object, 'spec', 'blockPoolName'), radosNamespaceName(object));
    case 'ceph.rook.io/CephFilesystemSubVolumeGroup':
      return idsOf(object, 'file', textAt(object, 'spec', 'filesystemName'), subVolumeGroupName(object));
    case 'csi.ceph.io/ClientProfile':
      return [object.metadata.name];
    default:
      return [];
  }
}

/** The namespace's name inside Ceph; the implicit one has the empty name. */
export function radosNamespaceName(object: KubeObject): string {
  const name = textAt(object, 'spec', 'name');
  return name === '<implicit>' ? '' : (name ?? object.metadata.name);
}

export function subVolumeGroupName(object: KubeObject): string {
  return textAt(object, 'spec', 'name') ?? object.metadata.name;
}

function idsOf(
  object: KubeObject,
  type: 'block' | 'file',
  parent: string | undefined,
  name: string,
): readonly string[] {
  const ids = new Set<string>();
  const chosen = textAt(object, 'spec', 'clusterID');
  if (chosen) ids.add(chosen);
  else if (parent) ids.add(hashedClusterId(object.metadata.namespace ?? '', parent, type, name));
  const reported = textAt(object, 'status', 'info', 'clusterID');
  if (reported) ids.add(reported);
  return [...ids];
}

/** As Rook makes it: the first 16 bytes of a SHA-256, in hex. */
function hashedClusterId(namespace: string, parent: string, type: 'block' | 'file', name: string): string {
  return createHash('sha256').update(`${namespace}-${parent}-${type}-${name}`).digest('hex').slice(0, 32);
}
