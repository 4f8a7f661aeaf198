import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { fieldAt, isRecord, type KubeObject } from '#pkg/object';
import {
  installCrds,
  run,
  startControlPlane,
  type ControlPlane,
  type Finished,
} from '../../scripts/controlplane/index.ts';
import { applyTo } from '../cluster/apply.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXECUTABLE = join(ROOT, 'dist/kubectl-rook_deps');
const NAMESPACE = 'rook-deps-system';
const LIMIT_MS = 60_000;

/** The controller, as the API server knows it. */
export const CONTROLLER = `system:serviceaccount:${NAMESPACE}:rook-deps-controller`;

/** One replica of the controller, run as the Deployment runs it, but on this machine. */
export interface Replica {
  readonly process: ChildProcess;
  readonly webhookPort: number;
  readonly healthPort: number;
  readonly log: string;
}

/** A control plane with garbage collector and namespace controller, on which rook-deps is installed without a node. */
export interface LocalInstall {
  readonly plane: ControlPlane;
  kubectl(
    args: readonly string[],
    options?: { readonly stdin?: string; readonly kubeconfig?: string },
  ): Promise<Finished>;
  plugin(args: readonly string[], options?: { readonly kubeconfig?: string }): Promise<Finished>;
  apply(objects: readonly object[]): Promise<KubeObject[]>;
  /** Gives the controller rights on further kinds, as `resource.group`. */
  grant(...resources: readonly string[]): Promise<void>;
  /** Lets the controller make further kinds, too. */
  compose(...resources: readonly string[]): Promise<void>;
  start(extraArgs?: readonly string[]): Promise<Replica>;
  stop(replica: Replica, signal?: NodeJS.Signals): Promise<void>;
  /** Sends the webhooks' calls to this replica. */
  route(replica: Replica): Promise<void>;
  end(): Promise<void>;
}

export async function localInstall(options: {
  readonly kinds: readonly string[];
  readonly keepsWorkloads?: boolean;
}): Promise<LocalInstall> {
  const { keepsWorkloads = false } = options;
  const plane = await startControlPlane({ controllerManager: true, audit: true, keepsWorkloads });
  const home = join(plane.folder, 'home');
  await mkdir(home);
  const replicas = new Set<Replica>();
  const env = (kubeconfig: string): Record<string, string> => ({
    PATH: `${join(ROOT, 'dist')}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    KUBECONFIG: kubeconfig,
  });
  const install: LocalInstall = {
    plane,
    kubectl: (args, { stdin = '', kubeconfig = plane.kubeconfig } = {}) =>
      run(plane.binaries.kubectl, args, { env: env(kubeconfig), stdin }, AbortSignal.timeout(LIMIT_MS)),
    plugin: (args, { kubeconfig = plane.kubeconfig } = {}) =>
      run(EXECUTABLE, args, { env: env(kubeconfig), stdin: '' }, AbortSignal.timeout(LIMIT_MS)),
    apply: (objects) => applyTo(plane, objects, AbortSignal.timeout(LIMIT_MS)),
    grant: (...resources) => grant(install, 'granted', resources, VERBS),
    compose: (...resources) => grant(install, 'composed', resources, [...VERBS, 'create']),
    async start(extraArgs = []) {
      const replica = await spawnReplica(install, home, extraArgs);
      replicas.add(replica);
      await ready(replica);
      return replica;
    },
    async stop(replica, signal = 'SIGTERM') {
      replicas.delete(replica);
      if (replica.process.exitCode !== null || replica.process.signalCode !== null) return;
      replica.process.kill(signal);
      await once(replica.process, 'exit');
    },
    route: (replica) => route(install, replica),
    async end() {
      for (const replica of replicas) await install.stop(replica, 'SIGKILL');
      await plane.stop();
    },
  };
  try {
    await installCrds(plane, () => undefined);
    await applyManifests(install);
    if (options.kinds.length > 0) await install.grant(...options.kinds);
    return install;
  } catch (error) {
    await install.end();
    throw error;
  }
}

async function manifests(): Promise<readonly KubeObject[]> {
  const folder = join(ROOT, 'manifests');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as KubeObject))
    .filter(isRecord);
}

const NOT_HERE = new Set([
  'ValidatingWebhookConfiguration',
  'Deployment',
  'PodDisruptionBudget',
  'Service',
  'ConfigMap',
]);

async function applyManifests(install: LocalInstall): Promise<void> {
  const rank = ({ kind }: KubeObject): number =>
    ['Namespace', 'CustomResourceDefinition'].indexOf(kind) + 1 || 3;
  const objects = (await manifests())
    .filter(({ kind }) => !NOT_HERE.has(kind))
    .toSorted((a, b) => rank(a) - rank(b));
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const applied = await install.kubectl(['apply', '--server-side', '-f', '-'], { stdin: input });
  if (applied.code !== 0) throw new Error(`cannot apply the manifests: ${applied.stderr}`);
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'rook-deps-webhook', namespace: NAMESPACE },
  };
  await install.kubectl(['apply', '--server-side', '-f', '-'], { stdin: JSON.stringify(secret) });
}

const VERBS = ['get', 'list', 'watch', 'patch', 'delete'];

async function grant(
  install: LocalInstall,
  prefix: string,
  resources: readonly string[],
  verbs: readonly string[],
): Promise<void> {
  const rules = resources.map((resource) => {
    const [name = '', ...group] = resource.split('.');
    return {
      apiGroups: [group.join('.')],
      resources: [name],
      verbs,
    };
  });
  const name = `${prefix}-${resources.join('-').replaceAll('.', '-')}`.slice(0, 60);
  const labels = { 'rook-deps.io/aggregate-to-controller': 'true' };
  await install.apply([
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name, labels }, rules },
  ]);
}

async function spawnReplica(
  install: LocalInstall,
  home: string,
  extraArgs: readonly string[],
): Promise<Replica> {
  const [webhookPort, healthPort] = [await freePort(), await freePort()];
  const kubeconfig = join(home, `controller-${webhookPort}`);
  await writeFile(kubeconfig, await controllerKubeconfig(install));
  const log = join(home, `controller-${webhookPort}.log`);
  const ports = ['--webhook-port', String(webhookPort), '--health-port', String(healthPort)];
  const local = ['--listen', '127.0.0.1', '--webhook-name', '127.0.0.1', '--drain-ms', '0'];
  // Where there is no Ceph, nobody waits for it.
  const ceph = extraArgs.some((arg) => arg.startsWith('--ceph')) ? [] : ['--ceph=off'];
  const args = [
    'controller',
    '--kubeconfig',
    kubeconfig,
    '--namespace',
    NAMESPACE,
    ...ports,
    ...local,
    ...ceph,
    ...extraArgs,
  ];
  const child = spawn(EXECUTABLE, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { HOME: home, POD_NAME: `replica-${webhookPort}` },
  });
  child.stderr.pipe(createWriteStream(log));
  return { process: child, webhookPort, healthPort, log };
}

async function ready({ process: child, healthPort, log }: Replica): Promise<void> {
  let last = '';
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    last = (await answer?.text()) ?? 'no answer';
    await sleep(100);
  }
  child.kill('SIGKILL');
  throw new Error(
    `the controller does not become ready: ${last}\n${(await readFile(log, 'utf8')).slice(-3000)}`,
  );
}

async function controllerKubeconfig(install: LocalInstall): Promise<string> {
  const { stdout } = await install.kubectl([
    'create',
    'token',
    'rook-deps-controller',
    '-n',
    NAMESPACE,
    '--duration',
    '2h',
  ]);
  const { server, ca } = install.plane;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'c', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'u', user: { token: stdout.trim() } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

/** There is no Service without a node: the webhooks get the replica's address, and what the controller has made. */
async function route(install: LocalInstall, { webhookPort }: Replica): Promise<void> {
  const configuration = (await manifests()).find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const secret = await install.kubectl([
    'get',
    'secret',
    'rook-deps-webhook',
    '-n',
    NAMESPACE,
    '-o',
    'jsonpath={.data.ca\\.crt} {.data.path-token}',
  ]);
  const [caBundle, token = ''] = secret.stdout.split(' ');
  const end = Buffer.from(token, 'base64').toString();
  const webhooks = (fieldAt(configuration, 'webhooks') as readonly Record<string, unknown>[]).map(
    (webhook) => {
      const path = String(fieldAt(webhook, 'clientConfig', 'service', 'path'));
      return {
        ...webhook,
        clientConfig: { url: `https://127.0.0.1:${webhookPort}${path}/${end}`, caBundle },
      };
    },
  );
  await install.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], {
    stdin: JSON.stringify({ ...configuration, webhooks }),
  });
}

/** Below the ports that the system gives to connections going out: one of those may be taken before it is listened on. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
