import { BUDGET, holdsOn, type DrainPicture } from '#pkg/drain';
import type { PodEviction } from '#pkg/kube';
import { numberAt, type KubeObject } from '#pkg/object';
import { listAll, type ObserverReader } from './observe.ts';
import type { DrainPod } from './pods.ts';
import type { ClusterFacts, Surroundings } from './situation.ts';
import type { Obstacle } from './status.ts';

/** At once: a node may have hundreds of pods. */
const AT_ONCE = 8;
/** Why a pod stays that no budget holds: somebody's webhook, a namespace that is being deleted. */
export const FAILED = 'EvictionFailed';

/** Evicts pods, and says what holds those that stay. */
export async function evictAll(
  pods: readonly DrainPod[],
  surroundings: Pick<Surroundings, 'clusters'>,
  ports: { readonly evict: PodEviction; readonly reader: ObserverReader },
  dryRun: boolean,
  signal: AbortSignal,
): Promise<readonly Obstacle[]> {
  const held: { readonly pod: DrainPod; readonly message: string }[] = [];
  const failed: Obstacle[] = [];
  const left = [...pods];
  const work = async (): Promise<void> => {
    for (let pod = left.shift(); pod; pod = left.shift()) {
      try {
        const answer = await ports.evict(pod.object, { dryRun }, signal);
        if (answer.kind === 'held') held.push({ pod, message: answer.message });
      } catch (error) {
        // One that cannot go keeps no other.
        if (signal.aborted || !isRefusal(error)) throw error;
        failed.push({ reason: FAILED, message: `${pod.name}: ${error.message}`, pods: [pod.name] });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (held.length === 0) return failed;
  return [...failed, ...(await explained(held, surroundings, ports.reader, signal))];
}

/** An answer of the server, and not the lack of one. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && numberAt(error, 'status') !== undefined;
}

/** The words of what reads budgets and drains; the server's own where that finds nothing. */
async function explained(
  held: readonly { readonly pod: DrainPod; readonly message: string }[],
  { clusters }: Pick<Surroundings, 'clusters'>,
  reader: ObserverReader,
  signal: AbortSignal,
): Promise<readonly Obstacle[]> {
  const budgets = await listAll(reader, BUDGET, {}, signal);
  const byNamespace = Map.groupBy(held, ({ pod }) => pod.object.metadata.namespace ?? '');
  return [...byNamespace].flatMap(([namespace, pods]) => {
    const cluster = clusters.find(({ object }) => object.metadata.namespace === namespace);
    const holds = holdsOn(
      pods.map(({ pod }) => pod.object),
      budgets,
      cluster && pictureOf(cluster),
    );
    const known = new Set(holds.flatMap((hold) => hold.pods));
    const rest = pods.filter(({ pod }) => !known.has(pod.object));
    return [
      ...holds.map((hold) => ({
        reason: 'DisruptionBudget',
        message: hold.message,
        pods: hold.pods.map(nameOf),
      })),
      ...rest.map(({ pod, message }) => ({
        reason: 'DisruptionBudget',
        message: `${pod.name}: ${message}`,
        pods: [pod.name],
      })),
    ];
  });
}

function pictureOf({ type, osds, draining, ceph }: ClusterFacts): DrainPicture {
  const groups = ceph.kind === 'told' && 'words' in ceph.groups ? ceph.groups.words : undefined;
  const down = new Set(
    ceph.kind === 'told' ? ceph.osdMap.osds.filter(({ isUp }) => !isUp).map(({ id }) => id) : [],
  );
  return {
    type,
    osds: osds.map((osd) => (down.has(osd.id) ? { ...osd, isDown: true } : osd)),
    draining: draining[0]?.domain,
    groups,
  };
}

function nameOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace}/${name}`;
}
