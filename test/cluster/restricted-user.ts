import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apply, controlPlane, kubectl } from './control-plane.ts';

const API = 'rbac.authorization.k8s.io';

/** A kubeconfig of a service account that may read the Rook resources of one namespace, and nothing else. */
export async function restrictedKubeconfig(namespace: string): Promise<string> {
  const metadata = { name: 'reader', namespace };
  await apply([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: `${API}/v1`,
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: ['ceph.rook.io'], resources: ['*'], verbs: ['get', 'list'] }],
    },
    {
      apiVersion: `${API}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: API, kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
    },
  ]);
  const { stdout: token } = await kubectl(['create', 'token', 'reader', '-n', namespace]);
  const { server, ca, home } = controlPlane();
  const file = join(await mkdtemp(join(home, 'reader-')), 'config');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'c', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'u', user: { token: token.trim() } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
    'current-context': 'x',
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}
