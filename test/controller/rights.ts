import { expect, vi } from 'vitest';
import { fieldAt, listAt, type KubeObject } from '#pkg/object';
import type { Target } from './client.ts';
import { CONTROLLER } from './local-install.ts';
import type { Scene } from './scene.ts';

const RBAC = 'rbac.authorization.k8s.io';
const WAIT = { timeout: 40_000, interval: 100 };

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
}

/** Gives the controller a right in one namespace. What it returns takes it away. */
export async function grantIn(
  scene: Scene,
  namespace: string,
  { verb, group, resource }: Right,
): Promise<() => Promise<void>> {
  const metadata = { name: `may-${verb}-${resource}`, namespace };
  const role = { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata };
  const [, , account = '', name] = CONTROLLER.split(':');
  const binding = {
    ...role,
    kind: 'RoleBinding',
    roleRef: { apiGroup: RBAC, kind: 'Role', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', namespace: account, name }],
  };
  const rules = [{ apiGroups: [group], resources: [resource], verbs: [verb] }];
  await scene.make({ ...role, rules } as Target, binding);
  const right = { verb, group, resource, namespace };
  await untilAllowed(scene, right, true);
  return async () => {
    expect((await scene.client.delete(binding)).status).toBe(200);
    await untilAllowed(scene, right, false);
  };
}

/** Takes the right to list these usages from the controller for as long as something is done. */
export async function withoutList(
  scene: Scene,
  resources: readonly string[],
  act: () => Promise<void>,
): Promise<void> {
  const role = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'rook-deps-controller' } };
  const before = (await scene.client.read(role)) as KubeObject;
  const rules = listAt(before, 'rules').flatMap((rule) => withoutListOf(rule, resources));
  const rights = resources.map((resource) => ({ verb: 'list', group: 'rook-deps.io', resource }));
  await scene.client.patch(role, { rules });
  try {
    for (const right of rights) await untilAllowed(scene, right, false);
    await act();
  } finally {
    await scene.client.patch(role, { rules: listAt(before, 'rules') });
  }
  for (const right of rights) await untilAllowed(scene, right, true);
}

function withoutListOf(rule: unknown, resources: readonly string[]): readonly object[] {
  const [all, verbs] = [listAt(rule, 'resources'), listAt(rule, 'verbs')];
  const isMeant = (resource: unknown): boolean => resources.includes(String(resource));
  return [
    { ...(rule as object), resources: all.filter((resource) => !isMeant(resource)) },
    { ...(rule as object), resources: all.filter(isMeant), verbs: verbs.filter((verb) => verb !== 'list') },
  ].filter((part) => part.resources.length > 0);
}

async function untilAllowed(scene: Scene, right: Right, isAllowed: boolean): Promise<void> {
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: { name: '' },
    spec: { user: CONTROLLER, resourceAttributes: right },
  };
  await vi.waitFor(async () => {
    const { body } = await scene.client.create(review);
    expect(fieldAt(body, 'status', 'allowed')).toBe(isAllowed);
  }, WAIT);
}
