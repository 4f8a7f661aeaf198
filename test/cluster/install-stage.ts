import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldAt, isRecord, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import {
  installCrds,
  run,
  startControlPlane,
  type ControlPlane,
  type Finished,
} from '../../scripts/controlplane/index.ts';

const DIST = join(import.meta.dirname, '../../dist');
const LIMIT_MS = 55_000;

export interface LocalReplica {
  readonly process: ChildProcess;
  readonly webhookPort: number;
}

/** A control plane of its own: what is installed here concerns the whole cluster. */
export class InstallStage {
  readonly plane: ControlPlane;
  readonly #replicas: ChildProcess[] = [];
  readonly #home: string;

  private constructor(plane: ControlPlane, home: string) {
    this.plane = plane;
    this.#home = home;
  }

  static async start(): Promise<InstallStage> {
    const plane = await startControlPlane({ controllerManager: true, audit: false });
    await installCrds(plane, () => undefined);
    const home = join(plane.folder, 'home');
    await mkdir(home);
    return new InstallStage(plane, home);
  }

  /** With all that was started on it. */
  async end(): Promise<void> {
    for (const child of this.#replicas) child.kill('SIGKILL');
    await this.plane.stop();
  }

  kubectl(args: readonly string[], stdin = ''): Promise<Finished> {
    return this.#run(this.plane.binaries.kubectl, args, stdin);
  }

  /** Standard output of a kubectl that must succeed, as JSON. */
  async json(args: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.kubectl([...args, '-o', 'json']);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  }

  plugin(args: readonly string[]): Promise<Finished> {
    return this.#run(join(DIST, 'kubectl-rook_deps'), args, '');
  }

  #run(file: string, args: readonly string[], stdin: string): Promise<Finished> {
    const env = { PATH: process.env['PATH'], HOME: this.#home, KUBECONFIG: this.plane.kubeconfig };
    return run(file, args, { env, stdin }, AbortSignal.timeout(LIMIT_MS));
  }

  /** Everything in the cluster, without what moves by itself. Keys are `kind namespace/name`. */
  async everything(): Promise<Readonly<Record<string, unknown>>> {
    const { stdout } = await this.kubectl(['api-resources', '--verbs=list', '-o', 'name', '--cached=false']);
    const moving = /^(events|leases|componentstatuses|endpoints)\b/;
    const names = stdout.split('\n').filter((name) => name !== '' && !moving.test(name));
    const items = listAt(await this.json(['get', names.join(','), '-A']), 'items') as readonly KubeObject[];
    return Object.fromEntries(items.map((object) => [keyOf(object), lasting(object)]));
  }

  async resourceVersions(): Promise<Readonly<Record<string, string>>> {
    const kinds =
      'namespaces,crds,serviceaccounts,clusterroles,clusterrolebindings,roles,rolebindings,secrets,configmaps,services,poddisruptionbudgets,deployments,validatingadmissionpolicies,validatingadmissionpolicybindings,validatingwebhookconfigurations';
    const selector = 'app.kubernetes.io/managed-by=kubectl-rook-deps';
    const items = listAt(await this.json(['get', kinds, '-A', '-l', selector]), 'items') as KubeObject[];
    return Object.fromEntries(items.map((object) => [keyOf(object), object.metadata.resourceVersion ?? '']));
  }

  /** Stands in for a kubelet: runs the container of the Deployment on this machine, and says that its pods are ready. */
  async runPods(signal: AbortSignal): Promise<ChildProcess> {
    const { process: child, webhookPort } = await this.startReplica(signal);
    await this.markPodsReady();
    await this.route(webhookPort, signal);
    return child;
  }

  /** One container of the Deployment, with the command, mounts, environment and account that it says. */
  async startReplica(signal: AbortSignal): Promise<LocalReplica> {
    const deployment = await this.#until(signal, () =>
      this.json(['get', 'deployment/rook-deps-controller', '-n', 'rook-deps-system']),
    );
    const pod = recordAt(deployment, 'spec', 'template', 'spec');
    const folder = await this.#mount(pod);
    const [webhookPort, healthPort] = [await freePort(), await freePort()];
    const [container] = listAt(pod, 'containers');
    const [, ...command] = listAt(container, 'command').map(String);
    const args = listAt(container, 'args').map((arg) => local(String(arg), webhookPort, healthPort));
    const child = spawn(
      join(DIST, '../node_modules/.bin/node'),
      [
        ...command.map((word) => word.replace('/opt/rook-deps', folder)),
        ...args,
        `--kubeconfig=${await this.#controllerKubeconfig(pod)}`,
        '--listen=127.0.0.1',
        '--webhook-name=127.0.0.1',
        '--drain-ms=0',
      ],
      {
        stdio: ['ignore', 'ignore', openSync(join(this.#home, `controller-${webhookPort}.log`), 'w')],
        env: { HOME: this.#home, POD_NAME: `replica-${webhookPort}`, POD_NAMESPACE: 'rook-deps-system' },
      },
    );
    this.#replicas.push(child);
    await this.#until(signal, async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok);
    return { process: child, webhookPort };
  }

  async markPodsReady(): Promise<void> {
    const pods = listAt(await this.json(['get', 'pods', '-n', 'rook-deps-system']), 'items') as KubeObject[];
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    for (const { metadata } of pods)
      await this.kubectl([
        'patch',
        `pod/${metadata.name}`,
        '--namespace=rook-deps-system',
        '--subresource=status',
        `--patch=${JSON.stringify({ status })}`,
      ]);
  }

  /** There is no Service without a node: the API server is given the address itself. */
  async route(port: number, signal: AbortSignal): Promise<void> {
    const configuration = await this.#until(signal, () =>
      this.json(['get', 'validatingwebhookconfiguration/rook-deps']),
    );
    const steps = listAt(configuration, 'webhooks').flatMap((webhook, at) => {
      const path = `/webhooks/${at}/clientConfig`;
      const url = `https://127.0.0.1:${port}${textAt(webhook, 'clientConfig', 'service', 'path')}`;
      return [
        { op: 'remove', path: `${path}/service` },
        { op: 'add', path: `${path}/url`, value: url },
      ];
    });
    const target = 'validatingwebhookconfiguration/rook-deps';
    const { code, stderr } = await this.kubectl([
      'patch',
      target,
      '--type=json',
      '-p',
      JSON.stringify(steps),
    ]);
    if (code !== 0) throw new Error(stderr);
  }

  async #mount(pod: unknown): Promise<string> {
    const name = textAt(recordAt({ volume: listAt(pod, 'volumes')[0] }, 'volume'), 'configMap', 'name') ?? '';
    const map = await this.json(['get', `configmap/${name}`, '-n', 'rook-deps-system']);
    const folder = await mkdtemp(join(this.#home, 'bundle-'));
    for (const [file, text] of Object.entries(recordAt(map, 'data')))
      await writeFile(join(folder, file), String(text));
    for (const [file, text] of Object.entries(recordAt(map, 'binaryData')))
      await writeFile(join(folder, file), Buffer.from(String(text), 'base64'));
    return folder;
  }

  async #controllerKubeconfig(pod: unknown): Promise<string> {
    const account = textAt(pod, 'serviceAccountName') ?? '';
    const { stdout } = await this.kubectl(['create', 'token', account, '-n', 'rook-deps-system']);
    const { server, ca } = this.plane;
    const file = join(await mkdtemp(join(this.#home, 'controller-')), 'config');
    const certificate = Buffer.from(ca).toString('base64');
    await writeFile(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': certificate } }],
        users: [{ name: 'u', user: { token: stdout.trim() } }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    return file;
  }

  async #until<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    for (;;) {
      const answer = await ask().catch(() => undefined);
      if (answer) return answer;
      await sleep(100, undefined, { signal });
    }
  }
}

function local(arg: string, webhookPort: number, healthPort: number): string {
  return arg
    .replace('$(POD_NAMESPACE)', 'rook-deps-system')
    .replace(/^--webhook-port=.*/, `--webhook-port=${webhookPort}`)
    .replace(/^--health-port=.*/, `--health-port=${healthPort}`);
}

function keyOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}

function lasting(object: KubeObject): unknown {
  const { labels, annotations, finalizers, ownerReferences, uid } = object.metadata;
  const rest = Object.fromEntries(
    Object.entries(object).filter(([field]) => !['metadata', 'status'].includes(field)),
  );
  return { ...rest, labels, annotations, finalizers, ownerReferences, uid };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return isRecord(address) ? Number(fieldAt(address, 'port')) : 0;
}
