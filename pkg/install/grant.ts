import { UserError, type KubeObject } from '#pkg/object';
import { GRANT_LABEL, MANAGED_BY } from './names.ts';

/** A resource as `kubectl api-resources -o name` prints it: `deployments.apps`, `services`. */
export type ResourceName = string;

/** A label to select by, the rest to mark and to delete what was due. */
const VERBS = ['get', 'list', 'watch', 'patch', 'delete'];

/**
 * Lets the controller protect one more kind. One role for each: granting another takes nothing back, and deleting the
 * role does.
 */
export function grantRole(resource: ResourceName): KubeObject {
  return roleFor(resource, 'grant', VERBS);
}

/** Lets the controller make one more kind, for composites that want it. */
export function composeRole(resource: ResourceName): KubeObject {
  return roleFor(resource, 'compose', [...VERBS, 'create']);
}

function roleFor(resource: ResourceName, flag: 'grant' | 'compose', verbs: readonly string[]): KubeObject {
  const { plural, group } = parsed(resource, flag);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `rook-deps-${flag}-${resource}`,
      labels: { ...MANAGED_BY, 'app.kubernetes.io/name': 'rook-deps', [GRANT_LABEL]: 'true' },
    },
    rules: [{ apiGroups: [group], resources: [plural], verbs }],
  };
}

function parsed(resource: ResourceName, flag: string): { readonly plural: string; readonly group: string } {
  const match = /^([a-z0-9-]+)(?:\.([a-z0-9.-]+))?$/.exec(resource);
  if (match?.[1]) return { plural: match[1], group: match[2] ?? '' };
  throw new UserError(
    `error: invalid argument "${resource}" for "--${flag}" flag: must be the name of one resource, such as deployments.apps`,
  );
}
