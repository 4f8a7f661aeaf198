import { compareText, isRookKind, textAt, type KubeObject, type ResourceTypes } from '#pkg/object';
import type { Criterion } from './critical-service.ts';

/** Buckets are finalized by the operator, too, under one name. */
const BUCKETS = { group: 'objectbucket.io', finalizerName: 'objectbucket.io/finalizer' };

/** Whether a Deployment runs the Rook operator, whatever it is called. */
export function isRookOperator(deployment: KubeObject): boolean {
  return (
    textAt(deployment, 'spec', 'template', 'metadata', 'labels', 'app') === 'rook-ceph-operator' ||
    deployment.metadata.name === 'rook-ceph-operator'
  );
}

/** The finalizers that the Rook operator serves, of all its kinds that are installed. */
export function operatorCriteria(types: ResourceTypes): readonly Criterion[] {
  return types
    .all()
    .filter((type) => isRookKind(type) || type.group === BUCKETS.group)
    .toSorted((a, b) => compareText(`${a.group}/${a.plural}`, `${b.group}/${b.plural}`))
    .map(({ group, plural, kind }) => ({
      type: 'Finalizer',
      group,
      resource: plural,
      finalizerName: group === BUCKETS.group ? BUCKETS.finalizerName : `${kind.toLowerCase()}.${group}`,
    }));
}
