import { MAIN_POOL, ROOK_NAMESPACE } from './population/index.ts';
import { listedInReport, listedInTree, listedInTable } from './answers.ts';

/** One way to ask: a program with its arguments. */
export interface Contestant {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Arguments that make the program print what `count` reads; those of the measured runs by default. */
  readonly countArgs?: readonly string[];
  /** How many dependents the answer holds. */
  readonly count: (stdout: string) => number;
}

/** What is asked, by all who can. Ours comes first. */
export interface Question {
  readonly title: string;
  readonly contestants: readonly Contestant[];
}

export interface Programs {
  readonly ours: string;
  readonly kubectlTree: string;
  readonly kubeLineage: string;
}

/** Each program is asked as its user would ask it for everything, everywhere, that depends on the object. */
export function questions({ ours, kubectlTree, kubeLineage }: Programs): readonly Question[] {
  const here = ['-n', ROOK_NAMESPACE];
  const pool = `cephblockpool/${MAIN_POOL}`;
  const cluster = `cephcluster/${ROOK_NAMESPACE}`;
  const tree = { name: 'kubectl-tree', file: kubectlTree, count: listedInTable };
  const lineage = { name: 'kube-lineage', file: kubeLineage, count: listedInTable };
  const rookDeps = { name: 'kubectl-rook_deps', file: ours };
  const why = ['why', pool, ...here];
  const treeOfCluster = ['tree', cluster, ...here];
  return [
    {
      title: `What depends on ${pool}?`,
      contestants: [
        { ...rookDeps, args: why, countArgs: [...why, '-o', 'json'], count: listedInReport },
        { ...lineage, args: [pool, ...here, '-A'] },
        // No -A: with a name, v0.6.0 refuses it.
        { ...tree, args: [pool, ...here] },
      ],
    },
    {
      title: `What depends on ${cluster}?`,
      contestants: [
        {
          ...rookDeps,
          args: treeOfCluster,
          countArgs: [...treeOfCluster, '-o', 'name'],
          count: listedInTree,
        },
        { ...lineage, args: [cluster, ...here, '-A'] },
        // No name: this is how -A works, as long as there is only one object of the kind.
        { ...tree, args: ['cephcluster', ...here, '-A'] },
        { ...tree, args: [cluster, ...here] },
      ],
    },
  ];
}
