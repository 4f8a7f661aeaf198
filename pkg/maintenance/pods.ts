import { isMonitor, OSD_ID } from '#pkg/drain';
import { listAt, textAt, type KubeObject } from '#pkg/object';
import { returnOf, type Return } from './tolerations.ts';

/** In the order in which pods go: whoever uses Ceph's volumes first, what keeps data last. */
export const WAVES = ['consumers', 'others', 'services', 'osds', 'monitors'] as const;
export type Wave = (typeof WAVES)[number];

/** A pod of the node that has to go. */
export interface DrainPod {
  readonly object: KubeObject;
  /** `namespace/name`. */
  readonly name: string;
  readonly wave: Wave;
  readonly isGoing: boolean;
  /** Nobody would make it again: it is never evicted. */
  readonly isBare: boolean;
  readonly comesBack: Return;
  /** The volumes of Ceph that it uses, by name. */
  readonly volumes: readonly string[];
}

const MIRROR = 'kubernetes.io/config.mirror';
const FINISHED = ['Succeeded', 'Failed'];

/** Whether a pod stays on a node that is drained: it belongs to the node, or does not run any more. */
export function staysOnNode(pod: KubeObject): boolean {
  const { annotations, ownerReferences = [] } = pod.metadata;
  if (annotations?.[MIRROR] !== undefined) return true;
  if (ownerReferences.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true))
    return true;
  return FINISHED.includes(textAt(pod, 'status', 'phase') ?? '');
}

export function drainPod(object: KubeObject, volumes: readonly string[]): DrainPod {
  const { namespace = '', name, ownerReferences = [], deletionTimestamp } = object.metadata;
  return {
    object,
    name: `${namespace}/${name}`,
    wave: waveOf(object, volumes),
    isGoing: deletionTimestamp !== undefined,
    isBare: !ownerReferences.some(({ controller }) => controller === true),
    comesBack: returnOf(object),
    volumes,
  };
}

function waveOf(pod: KubeObject, volumes: readonly string[]): Wave {
  const app = pod.metadata.labels?.['app'] ?? '';
  if (app === 'rook-ceph-osd') return 'osds';
  if (isMonitor(pod)) return 'monitors';
  // Portable monitors and OSDs sit on volumes, too; anybody else who does is a consumer.
  if (isOfStorage(app)) return 'services';
  return volumes.length > 0 ? 'consumers' : 'others';
}

/** Gateways, managers, metadata servers, the operator, and the drivers that detach the volumes of others. */
function isOfStorage(app: string): boolean {
  return app.startsWith('rook-ceph-') || /^(csi-|.*\.csi\.ceph\.com)/.test(app);
}

/** The claims of a pod in its namespace; those it makes itself bear its name. */
export function claimsOf(pod: KubeObject): readonly string[] {
  return listAt(pod, 'spec', 'volumes').flatMap((volume) => {
    const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
    if (claim) return [claim];
    const own = textAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec', 'storageClassName');
    const isEphemeral =
      own !== undefined ||
      listAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec', 'accessModes').length > 0;
    return isEphemeral ? [`${pod.metadata.name}-${textAt(volume, 'name') ?? ''}`] : [];
  });
}

/** The name of a monitor by its pod, as the quorum knows it. */
export function monitorName(pod: KubeObject): string | undefined {
  if (!isMonitor(pod)) return undefined;
  return pod.metadata.labels?.['mon'] ?? pod.metadata.labels?.['ceph_daemon_id'];
}

export function osdIdOf({ metadata }: KubeObject): number | undefined {
  const id = Number(metadata.labels?.[OSD_ID]);
  return Number.isInteger(id) ? id : undefined;
}
