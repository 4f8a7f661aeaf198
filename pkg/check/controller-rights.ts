import { isDeepStrictEqual } from 'node:util';
import { groupOf, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import { failure, ok, type Check, type CheckPorts } from './check.ts';

/** Whether roles, and who has them, are what this program would install. */
export function controllerRights(namespace: string, { reader, manifests }: CheckPorts): Check {
  return {
    section: 'Installation',
    title: 'the controller has its rights',
    async look(signal) {
      const wanted = (await manifests(namespace)).filter(({ apiVersion }) =>
        apiVersion.startsWith('rbac.authorization.k8s.io/'),
      );
      const found = await Promise.all(
        wanted.map(({ apiVersion, kind, metadata }) =>
          reader.get({ group: groupOf(apiVersion), kind }, metadata.namespace, metadata.name, signal),
        ),
      );
      const wrong = wanted.filter((object, at) => !isAsWanted(object, found[at]));
      const names = wrong.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ');
      return wrong.length === 0
        ? ok()
        : failure(`not as it was installed: ${names}`, 'run: kubectl rook-deps install');
    },
  };
}

function isAsWanted(wanted: KubeObject, found: KubeObject | undefined): boolean {
  if (!found) return false;
  const labels = Object.entries(wanted.metadata.labels ?? {});
  // By its labels a role is added to others.
  const isLabelled = labels.every(([name, value]) => found.metadata.labels?.[name] === value);
  return isLabelled && isDeepStrictEqual(contentOf(wanted), contentOf(found));
}

/** Without what the server fills in: the rules of an aggregated role, and defaults. */
function contentOf(object: KubeObject): unknown {
  const selectors = listAt(object, 'aggregationRule', 'clusterRoleSelectors');
  const rules = listAt(object, 'rules').map((rule) =>
    ['apiGroups', 'resources', 'resourceNames', 'verbs'].map((field) => listAt(rule, field)),
  );
  return {
    selectors: selectors.map((selector) => recordAt(selector, 'matchLabels')),
    rules: selectors.length > 0 ? [] : rules,
    role: [textAt(object, 'roleRef', 'kind'), textAt(object, 'roleRef', 'name')],
    subjects: listAt(object, 'subjects').map((subject) =>
      ['kind', 'namespace', 'name'].map((field) => textAt(subject, field)),
    ),
  };
}
