import { join } from 'node:path';
import { createExampleCluster } from '../test/cluster/example-cluster.ts';
import { localInstall, type LocalInstall } from '../test/controller/local-install.ts';
import { buildPlugin } from './build.ts';

const ROOT = join(import.meta.dirname, '..');

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** A cluster to play with: a real control plane, Rook's definitions, the example, and the controller at work. */
async function sandbox(): Promise<void> {
  const { executable } = await buildPlugin(say);
  say('starting etcd, kube-apiserver and kube-controller-manager…');
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => end());
  const install = await localInstall({ kinds: ['deployments.apps', 'configmaps'], keepsWorkloads: true });
  const alive = setInterval(() => undefined, 2 ** 30);
  const filled = fill(install, join(executable, '..'));
  try {
    // Whoever has seen enough need not wait for the rest.
    await Promise.race([ended, filled.then(() => ended)]);
    say('\nremoving everything…');
  } finally {
    clearInterval(alive);
    filled.catch(() => undefined);
    await install.end();
  }
}

async function fill(install: LocalInstall, folder: string): Promise<void> {
  say('creating the example cluster…');
  await createExampleCluster(join(ROOT, 'docs/examples'), install);
  const replica = await install.start();
  await install.route(replica);
  process.stdout.write(welcome(install.plane.kubeconfig, folder, install.plane.binaries.kubectl));
  say(`the controller writes its log to ${replica.log}; Ctrl-C removes everything`);
}

function welcome(kubeconfig: string, folder: string, kubectl: string): string {
  return `
In another terminal:

  export KUBECONFIG=${kubeconfig}
  export PATH=${folder}:${join(kubectl, '..')}:$PATH

  kubectl rook-deps tree cephcluster/rook-ceph -n rook-ceph
  kubectl rook-deps protect cephblockpool/staging-pool -n rook-ceph --reason "payments database"
  kubectl delete cephblockpool/staging-pool -n rook-ceph

`;
}

await sandbox();
