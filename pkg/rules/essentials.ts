import { isRecord, isRookKind, recordAt, refOf, textAt, type KubeObject, type ObjectMeta } from '#pkg/object';
import { cephDriver } from './csi-volume.ts';

/**
 * What rules read of an object to find out what holds Rook's resources; undefined when they read nothing. Whoever keeps
 * thousands of objects keeps this. What changes every minute is not in it: heartbeats, usage, versions.
 */
export function essentialsOf(object: KubeObject): KubeObject | undefined {
  const { apiVersion, kind } = object;
  const ref = refOf(object);
  if (ref.group === '' && kind === 'PersistentVolume') return volumeEssentials(object);
  const metadata = metadataOf(object.metadata, object.metadata.labels);
  if (ref.group === 'storage.k8s.io') {
    const { provisioner, parameters } = object;
    return { apiVersion, kind, metadata, provisioner, parameters };
  }
  const status = statusOf(object);
  const spec = object['spec'];
  return {
    apiVersion,
    kind,
    metadata: isRookKind(ref) ? metadataOf(object.metadata, undefined) : metadata,
    ...(spec === undefined ? {} : { spec }),
    ...(status ? { status } : {}),
  };
}

function metadataOf(
  { name, namespace, uid, creationTimestamp, deletionTimestamp }: ObjectMeta,
  labels: ObjectMeta['labels'],
): ObjectMeta {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
  };
}

function statusOf(object: KubeObject): object | undefined {
  const { poolID, info, snapshotHandle } = recordAt(object, 'status');
  const clusterID = textAt(info, 'clusterID');
  if (poolID === undefined && clusterID === undefined && snapshotHandle === undefined) return undefined;
  return {
    ...(poolID === undefined ? {} : { poolID }),
    ...(clusterID === undefined ? {} : { info: { clusterID } }),
    ...(snapshotHandle === undefined ? {} : { snapshotHandle }),
  };
}

/** The volumes are many: of each only what tells where it is, and whose. */
function volumeEssentials(volume: KubeObject): KubeObject | undefined {
  const csi = recordAt(volume, 'spec', 'csi');
  if (!cephDriver(textAt(csi, 'driver'))) return undefined;
  const { storageClassName, claimRef } = recordAt(volume, 'spec');
  const { driver, volumeHandle, volumeAttributes } = csi;
  const { apiVersion, kind, metadata } = volume;
  const { name, uid } = metadata;
  const phase = textAt(volume, 'status', 'phase');
  return {
    apiVersion,
    kind,
    metadata: { name, ...(uid === undefined ? {} : { uid }) },
    spec: {
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(isRecord(claimRef)
        ? { claimRef: { namespace: claimRef['namespace'], name: claimRef['name'] } }
        : {}),
      csi: {
        driver,
        volumeHandle,
        ...(isRecord(volumeAttributes) ? { volumeAttributes: told(volumeAttributes) } : {}),
      },
    },
    ...(phase === 'Released' ? { status: { phase } } : {}),
  };
}

/** How an image is made, and for whom, does not tell where it is. */
const IDLE_ATTRIBUTES =
  /^(?:csi\.storage\.k8s\.io\/|storage\.kubernetes\.io\/|image(?:Features|Format|Name)$|subvolumeName$)/;

function told(attributes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => !IDLE_ATTRIBUTES.test(key)));
}
