import {
  compareText,
  groupOf,
  Kinds,
  UserError,
  type GroupKind,
  type KubeObject,
  type Reader,
  type ResourceType,
} from '#pkg/object';
import { flaggedDomains, MADE } from './made.ts';
import { MANAGED_SELECTOR } from './names.ts';

/** Kinds of all that any version has installed, in the order in which they are removed. */
export const REMOVAL_ORDER: readonly GroupKind[] = [
  { group: 'admissionregistration.k8s.io', kind: 'ValidatingWebhookConfiguration' },
  { group: 'admissionregistration.k8s.io', kind: 'ValidatingAdmissionPolicyBinding' },
  { group: 'admissionregistration.k8s.io', kind: 'ValidatingAdmissionPolicy' },
  { group: 'apps', kind: 'Deployment' },
  { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' },
  { group: 'policy', kind: 'PodDisruptionBudget' },
  { group: '', kind: 'Service' },
  { group: '', kind: 'ConfigMap' },
  { group: '', kind: 'Secret' },
  { group: 'rbac.authorization.k8s.io', kind: 'RoleBinding' },
  { group: 'rbac.authorization.k8s.io', kind: 'Role' },
  { group: '', kind: 'ServiceAccount' },
  { group: 'rbac.authorization.k8s.io', kind: 'ClusterRoleBinding' },
  { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' },
  { group: '', kind: 'Namespace' },
];

/** What is ours in a cluster. */
export interface Survey {
  /** In the order of removal. */
  readonly objects: readonly KubeObject[];
  /** What people have made of our kinds: while there is any, it protects something. */
  readonly protections: readonly KubeObject[];
  readonly ownKinds: readonly ResourceType[];
  /** Where the controller has written down what it does in Ceph. */
  readonly notes: readonly KubeObject[];
}

/** Looks at all that is ours. Throws when anything could not be seen: what is not seen would be left. */
export async function survey(reader: Reader, signal: AbortSignal): Promise<Survey> {
  const all = (await reader.types(signal)).all();
  const ownKinds = all.filter(({ group }) => group === 'rook-deps.io');
  const listAll = async (
    kind: GroupKind,
    labelSelector?: string,
    detail: 'metadata' | 'object' = 'metadata',
  ): Promise<readonly KubeObject[]> => {
    const { items, gaps } = await reader.list({ kind, detail, labelSelector }, signal);
    const [gap] = gaps;
    if (gap) throw new UserError(`error: cannot see what is installed: ${gap.what}: ${gap.reason}`);
    return items;
  };
  const objects = await Promise.all(REMOVAL_ORDER.map((kind) => listAll(kind, MANAGED_SELECTOR)));
  const protections = await Promise.all(ownKinds.map((kind) => listAll(kind)));
  const notes = await listAll(Kinds.ConfigMap, MADE, 'object');
  return { objects: objects.flat(), protections: protections.flat().toSorted(byName), ownKinds, notes };
}

function byName(a: KubeObject, b: KubeObject): number {
  return (
    compareText(a.kind, b.kind) ||
    compareText(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
    compareText(a.metadata.name, b.metadata.name)
  );
}

const MAX_NAMED = 20;

/** What only the controller can bring back: nothing is removed before it has, not even by force. */
export function unfinished(found: Survey): UserError | undefined {
  return unfinishedMaintenance(found) ?? unfinishedDrain(found);
}

/** Its notes are the only record of whose the flag is. */
function unfinishedDrain({ notes }: Survey): UserError | undefined {
  const lines = notes.flatMap((note) =>
    flaggedDomains(note).map(
      (domain) =>
        `  ceph osd unset-group noout ${domain} && kubectl delete configmap ${note.metadata.name} -n ${note.metadata.namespace ?? ''}`,
    ),
  );
  if (lines.length === 0) return undefined;
  return new UserError(
    [
      'error: a drain is under way, and noout would stay set in Ceph; wait until its OSDs are back, or take it back yourself:',
      ...lines.slice(0, MAX_NAMED),
    ].join('\n'),
  );
}

function unfinishedMaintenance({ protections }: Survey): UserError | undefined {
  const nodes = protections
    .filter(({ kind }) => kind === 'NodeMaintenance')
    .map(({ metadata }) => metadata.name);
  if (nodes.length === 0) return undefined;
  return new UserError(
    [
      `error: ${nodes.length === 1 ? 'a node is' : `${nodes.length} nodes are`} in maintenance, and would stay cordoned with noout set; end that first:`,
      ...nodes.slice(0, MAX_NAMED).map((name) => `  kubectl rook-deps maintenance stop ${name} --wait`),
    ].join('\n'),
  );
}

/** Why nothing is removed, if people still rely on it. */
export function refusal({ protections }: Survey): UserError | undefined {
  if (protections.length === 0) return undefined;
  const named = protections
    .slice(0, MAX_NAMED)
    .map(
      ({ apiVersion, kind, metadata }) =>
        `  ${kind.toLowerCase()}.${groupOf(apiVersion)}/${metadata.name}${metadata.namespace ? ` in namespace ${metadata.namespace}` : ''}`,
    );
  const left = protections.length - named.length;
  return new UserError(
    [
      `error: ${protections.length === 1 ? '1 protection exists' : `${protections.length} protections exist`}; remove ${protections.length === 1 ? 'it' : 'them'} with 'kubectl rook-deps unprotect', or give ${protections.length === 1 ? 'it' : 'them'} up with --force:`,
      ...named,
      ...(left > 0 ? [`  and ${left} more`] : []),
      ...(protections.some(({ kind }) => kind === 'StorageComposite')
        ? ['What a StorageComposite is composed of is kept with --force, and belongs to nobody then.']
        : []),
    ].join('\n'),
  );
}
