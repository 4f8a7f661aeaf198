import type { GoTool } from '../controlplane/index.ts';

/** Other programs that answer similar questions. */
export const KUBECTL_TREE: GoTool = {
  name: 'kubectl-tree',
  path: 'github.com/ahmetb/kubectl-tree',
  version: 'v0.6.0',
  sum: 'h1:BbJNej8jMBZcljkiP4wLvZ/FSsLWoX9icHJGghpNdn0=',
};

export const KUBE_LINEAGE: GoTool = {
  name: 'kube-lineage',
  path: 'github.com/tohjustin/kube-lineage',
  version: 'v0.5.0',
  sum: 'h1:M8Ogl9rVcbCsA07Y5lU55Z1sRVIpBZl0bcu4La0hJfg=',
};
