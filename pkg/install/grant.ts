import { refOf, UserError, type KubeObject, type Reader, type ResourceType, type Writer } from '#pkg/object';
import { wordFor, type Change } from './change.ts';
import { FIELD_MANAGER, GRANT_LABEL, MANAGED_BY } from './names.ts';

/** A resource as `kubectl api-resources -o name` prints it: `deployments.apps`, `services`. */
export type ResourceName = string;

/** `protect`: to mark, and to delete what was due. `read`: to see whether something that uses others is still there. */
export type GrantFor = 'protect' | 'read';

const READ = ['get', 'list', 'watch'];
const VERBS: Readonly<Record<GrantFor, readonly string[]>> = {
  read: READ,
  protect: [...READ, 'patch', 'delete'],
};

/**
 * Lets the controller protect one more kind. One role for each: granting another takes nothing back, and deleting the
 * role does.
 */
export function grantRole(resource: ResourceName, purpose: GrantFor = 'protect'): KubeObject {
  return roleFor(resource, 'grant', purpose === 'read' ? 'grant-read' : 'grant', VERBS[purpose]);
}

/** Lets the controller make one more kind, for composites that want it. */
export function composeRole(resource: ResourceName): KubeObject {
  return roleFor(resource, 'compose', 'compose', [...VERBS.protect, 'create']);
}

function roleFor(
  resource: ResourceName,
  flag: 'grant' | 'compose',
  prefix: string,
  verbs: readonly string[],
): KubeObject {
  const { plural, group } = parsed(resource, flag);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {
      name: `rook-deps-${prefix}-${resource}`,
      labels: { ...MANAGED_BY, 'app.kubernetes.io/name': 'rook-deps', [GRANT_LABEL]: 'true' },
    },
    rules: [{ apiGroups: [group], resources: [plural], verbs }],
  };
}

/** The name by which a kind is granted. */
export function grantName({ plural, group }: ResourceType): ResourceName {
  return group ? `${plural}.${group}` : plural;
}

/** Grants one kind in a cluster, unless it is granted already. */
export async function grant(
  resource: ResourceName,
  purpose: GrantFor,
  { reader, writer }: { readonly reader: Reader; readonly writer: Writer },
  dryRun: boolean,
  signal: AbortSignal,
): Promise<Change> {
  const role = grantRole(resource, purpose);
  const before = await reader.get(refOf(role), undefined, role.metadata.name, signal);
  const object = await writer.apply(role, { fieldManager: FIELD_MANAGER, force: true, dryRun }, signal);
  return { object, word: wordFor(before, object) };
}

function parsed(resource: ResourceName, flag: string): { readonly plural: string; readonly group: string } {
  const match = /^([a-z0-9-]+)(?:\.([a-z0-9.-]+))?$/.exec(resource);
  if (match?.[1]) return { plural: match[1], group: match[2] ?? '' };
  throw new UserError(
    `error: invalid argument "${resource}" for "--${flag}" flag: must be the name of one resource, such as deployments.apps`,
  );
}
