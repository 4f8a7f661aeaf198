import {
  DESTROY_DATA,
  destroysData,
  isRookKind,
  isTerminating,
  Kinds,
  refOf,
  type KubeObject,
} from '#pkg/object';

const WORD = `cleanupPolicy.confirmation: ${DESTROY_DATA}`;

/** Rook lets everything go unchecked, except the cluster itself, once a cluster is deleted with this word. */
export function destructionAsked(subject: KubeObject, others: Iterable<KubeObject>): string | undefined {
  const { namespace } = subject.metadata;
  if (!isRookKind(refOf(subject)) || subject.kind === Kinds.CephCluster.kind) return undefined;
  for (const object of others) {
    if (!destroysData(object) || !isTerminating(object) || object.metadata.namespace !== namespace) continue;
    return `CephCluster ${object.metadata.name} is being deleted with ${WORD}, so nothing is held back`;
  }
  return undefined;
}

/** Why Ceph need not be asked about what goes with a namespace, or with its cluster: the data are given up. */
export function dataGivenUp(subject: KubeObject, parts: Iterable<KubeObject>): string | undefined {
  const clusters = subject.kind === 'Namespace' ? [...parts] : [subject];
  const cluster = clusters.find((object) => destroysData(object) && !isTerminating(object));
  return (
    cluster &&
    `CephCluster ${cluster.metadata.name} bears ${WORD}, so Ceph is not asked about what goes with it`
  );
}
