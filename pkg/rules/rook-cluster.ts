import { Kinds, refOf, ROOK_KINDS } from '#pkg/object';
import type { Rule } from './rule.ts';

/** Everything of Rook's in a namespace lives in the cluster of that namespace. */
export const rookCluster: Rule = {
  code: 'RD001',
  title: 'A Rook resource in the namespace of the cluster',
  relation: 'lives in',
  blocks: true,
  reads: ROOK_KINDS.filter((kind) => kind !== Kinds.CephCluster),
  reading: 'metadata',
  targets: [Kinds.CephCluster],
  meaning:
    'Every Rook resource is served by the CephCluster of its namespace. Without the cluster it can neither work nor ' +
    'be cleaned up, and whatever it holds is lost. Rook itself overlooks CephNVMeOFGateway, CephObjectStoreAccount ' +
    'and CephCOSIDriver here.',
  remedy: [
    'Delete the resources of the namespace first, those that nothing depends on before the others.',
    'kubectl rook-deps tree cephcluster/NAME -n NAMESPACE shows them all, with what depends on each.',
  ],
  *references(object, lookup) {
    for (const cluster of lookup.ofKind(Kinds.CephCluster, object.metadata.namespace)) {
      yield { to: refOf(cluster), field: 'metadata.namespace' };
    }
  },
};
