import type { CodePage } from './rule.ts';

/** What keeps a node from being drained: no dependency between resources, but told with codes all the same. */
export const drains: readonly CodePage[] = [
  {
    code: 'RD070',
    title: 'Another failure domain drains',
    meaning:
      'OSDs of another failure domain are down, or are back and their copies are not complete yet. If OSDs of this one ' +
      'went too, placement groups could lose two copies at once. A budget that allows no disruption holds them until ' +
      'Ceph has all copies again; evictions are refused with 429, and kubectl drain goes on trying.',
    remedy: [
      'Wait, or bring the other domain back: kubectl uncordon its nodes, and see that their OSDs start.',
      'If it will not be back, wait until noout is over and Ceph has made the copies elsewhere.',
      'kubectl rook-deps why node/NODE tells how far it is.',
    ],
  },
  {
    code: 'RD071',
    title: 'A disruption budget allows no pod to go',
    meaning:
      'As many pods are missing as the budget tolerates, so the API server refuses evictions with 429. For OSDs that is ' +
      'one at a time, for monitors what the quorum can do without; budgets of others say it themselves.',
    remedy: [
      'See that the pods that are missing come back: kubectl get pods -n NAMESPACE shows which are not ready.',
      'A budget that can never allow anything, such as one over a single pod, has to be changed by whoever made it.',
    ],
  },
  {
    code: 'RD072',
    title: 'More than one budget over a pod',
    meaning:
      'The API server evicts no pod that two PodDisruptionBudgets select: it answers with 500, and kubectl drain gives up ' +
      'at once.',
    remedy: [
      'Keep the one of Rook or of rook-deps, and delete the other, or change its selector.',
      'kubectl get pdb -n NAMESPACE',
    ],
  },
  {
    code: 'RD073',
    title: 'Data would not be served without the node',
    meaning:
      'Without the OSDs of the node, placement groups would have fewer copies than their pool needs to serve ' +
      '(min_size), or monitors would lose their quorum: reading and writing would stop. Whether a budget holds the pods ' +
      'does not matter for that.',
    remedy: [
      'Wait until all OSDs are up and all placement groups are clean, then ask again.',
      'A pool with size 1, or with as many copies as min_size, can never do without an OSD: give it more copies.',
    ],
  },
];
