import { Kinds } from '#pkg/object';
import { byName } from './by-name.ts';

export const radosNamespacePool = byName({
  code: 'RD002',
  title: 'A rados namespace inside the pool',
  relation: 'is a namespace of',
  reads: Kinds.CephBlockPoolRadosNamespace,
  field: ['spec', 'blockPoolName'],
  target: Kinds.CephBlockPool,
  meaning:
    'A CephBlockPoolRadosNamespace divides the pool. Its images are stored in the pool and go with it.',
  remedy: [
    'Ask what depends on the rados namespace, remove that, then delete the rados namespace.',
    'kubectl rook-deps why cephblockpoolradosnamespace/NAME -n NAMESPACE',
  ],
});
