import { fieldAt, Kinds, type GroupKind } from '#pkg/object';
import { failure, ok, warning, type Check, type CheckPorts, type Finding } from './check.ts';

const SECTION = 'Your rights';

/** What `why` looks at in most clusters. */
const LOOKED_AT: readonly GroupKind[] = [
  Kinds.CephCluster,
  Kinds.CephBlockPool,
  Kinds.CephFilesystem,
  Kinds.CephObjectStore,
  Kinds.PersistentVolume,
  Kinds.PersistentVolumeClaim,
  Kinds.StorageClass,
  Kinds.Pod,
];

/** What `install` makes that not everybody may. */
const INSTALLED: readonly GroupKind[] = [
  { group: '', kind: 'Namespace' },
  { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' },
  { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' },
  { group: 'rbac.authorization.k8s.io', kind: 'ClusterRoleBinding' },
  { group: 'rbac.authorization.k8s.io', kind: 'RoleBinding' },
  { group: 'admissionregistration.k8s.io', kind: 'ValidatingWebhookConfiguration' },
  { group: 'admissionregistration.k8s.io', kind: 'ValidatingAdmissionPolicy' },
];

/** Whether the caller may see what matters. */
export function lookingRights(ports: CheckPorts): Check {
  return {
    section: SECTION,
    title: 'you may list what why looks at',
    async look(signal) {
      const missing = await refused(LOOKED_AT, 'list', ports, signal);
      return missing.length === 0
        ? ok()
        : warning(`not ${missing.join(', ')}`, 'why then answers UNKNOWN; ask for the right to list these');
    },
  };
}

/** Whether the caller may install. */
export function installingRights(ports: CheckPorts): Check {
  return {
    section: SECTION,
    title: 'you may create what install makes',
    async look(signal): Promise<Finding> {
      const missing = await refused(INSTALLED, 'create', ports, signal);
      return missing.length === 0
        ? ok()
        : failure(`not ${missing.join(', ')}`, 'let an administrator run: kubectl rook-deps install');
    },
  };
}

async function refused(
  kinds: readonly GroupKind[],
  verb: string,
  { types, writer }: CheckPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const served = await types(signal);
  const asked = kinds.flatMap((kind) => served.find(kind) ?? []);
  const answers = await Promise.all(
    asked.map(async ({ group, plural }) => {
      const spec = { resourceAttributes: { verb, group, resource: plural } };
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
      const answer = await writer.createReview(review, signal);
      return fieldAt(answer, 'status', 'allowed') === true ? [] : [group ? `${plural}.${group}` : plural];
    }),
  );
  return answers.flat();
}
