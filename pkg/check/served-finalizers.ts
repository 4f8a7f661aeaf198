import { groupOf, isRookKind, type KubeObject } from '#pkg/object';

const OWN_GROUP = 'rook-deps.io';
/** Finalizers of ours, without the group, by the kinds of ours on which the controller serves them. */
const ON_OWN_KINDS: Readonly<Record<string, readonly string[]>> = {
  usage: ['Usage', 'ClusterUsage'],
  'critical-service': ['CriticalService'],
  claim: ['StorageClaim'],
  maintenance: ['NodeMaintenance'],
};

/** Whether somebody takes this finalizer off an object; those of others are their affair. */
export function isServed({ apiVersion, kind }: KubeObject): (finalizer: string) => boolean {
  const group = groupOf(apiVersion);
  return (finalizer) => {
    if (!finalizer.startsWith(`${OWN_GROUP}/`)) return true;
    const name = finalizer.slice(OWN_GROUP.length + 1);
    if (name === 'dependents') return isRookKind({ group, kind });
    return group === OWN_GROUP && ON_OWN_KINDS[name]?.includes(kind) === true;
  };
}
