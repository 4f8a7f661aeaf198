import type { KubeObject } from '#pkg/object';
import { CEPH_ROLE, CONTROLLER_NAME } from './names.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Lets the controller ask Ceph in the pods of one namespace; never everywhere: to run programs in any pod is to be anybody. */
export function cephBinding(namespace: string, controllerNamespace: string): KubeObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: CEPH_ROLE, namespace },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: CEPH_ROLE },
    subjects: [{ kind: 'ServiceAccount', name: CONTROLLER_NAME, namespace: controllerNamespace }],
  };
}

export function isCephBinding({ kind, metadata }: KubeObject): boolean {
  return kind === 'RoleBinding' && metadata.name === CEPH_ROLE;
}
