import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { access, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { ensureBinaries, type Binaries } from './binaries.ts';
import { Children, ServerEnded } from './children.ts';
import { freePort } from './free-port.ts';
import { get, type Access } from './request.ts';
import {
  apiserverFlags,
  AUDIT_POLICY,
  controllerManagerFlags,
  etcdFlags,
  layoutIn,
  type Layout,
} from './server-flags.ts';
import { Unavailable } from './unavailable.ts';

const START_TIMEOUT_MS = 90_000;
const POLL_MS = 30;
const PORT_ATTEMPTS = 5;
const APISERVER = 'kube-apiserver';

export interface ControlPlaneOptions {
  /** Where the fresh folder for its files is made; the system's folder for temporary files by default. */
  readonly dir?: string;
  /** Garbage collector, namespaces, disruption budgets and the rest. Without it, objects stay as they are written. */
  readonly controllerManager: boolean;
  readonly audit: boolean;
  /** Keeps pods and volumes as they are written: no node is there to look after them. */
  readonly keepsWorkloads?: boolean;
}

/** A running etcd, API server and perhaps controller manager, on loopback. */
export interface ControlPlane extends Access {
  readonly binaries: Binaries;
  /** Holds all its files; whoever needs files that live as long as it does may add some. */
  readonly folder: string;
  /** A kubeconfig file of the administrator. */
  readonly kubeconfig: string;
  /** One JSON event per line; empty without `audit`. */
  readonly auditLog: string;
  /** Kills the API server: what was connected to it is cut off. */
  stopApiserver(): Promise<void>;
  /** Starts it again, on the same port and with the same data, and waits until it is ready. */
  startApiserver(signal: AbortSignal): Promise<void>;
  /** Ends the processes and removes their files. Both also happen when this process dies. */
  stop(): Promise<void>;
}

/** Starts a control plane and waits until it is ready to be used. */
export async function startControlPlane(
  options: ControlPlaneOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<ControlPlane> {
  const binaries = await ensureBinaries((line) => process.stderr.write(`${line}\n`), signal);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(await freePort(), binaries, options, limit);
    } catch (error) {
      // Between finding a free port and listening on it, somebody else may have taken it.
      const lost = error instanceof ServerEnded && error.log.includes('address already in use');
      if (!lost || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOn(
  port: number,
  binaries: Binaries,
  options: ControlPlaneOptions,
  signal: AbortSignal,
): Promise<ControlPlane> {
  const layout = layoutIn(await mkdtemp(join(options.dir ?? tmpdir(), 'rook-deps-')));
  const children = new Children(layout.folder);
  try {
    const adminToken = randomBytes(16).toString('hex');
    await writeInputs(layout, adminToken);
    children.start('etcd', binaries.etcd, etcdFlags(layout));
    // An API server that finds no etcd waits a second before it looks again.
    await children.during(poll('etcd listens', signal, () => access(layout.etcdSocket).then(() => true)));
    const server = `https://127.0.0.1:${port}`;
    const startApiserver = (limit: AbortSignal): Promise<Access> => {
      children.start(APISERVER, binaries.kubeApiserver, apiserverFlags(layout, port, options));
      return children.during(untilReady(server, adminToken, layout, limit));
    };
    const admin = await startApiserver(signal);
    await writeFile(layout.kubeconfig, kubeconfigOf(admin), { mode: 0o600 });
    if (options.controllerManager)
      await children.during(addControllerManager(children, binaries, layout, options, admin, signal));
    const { folder, kubeconfig, auditLog } = layout;
    return {
      ...admin,
      binaries,
      folder,
      kubeconfig,
      auditLog,
      stopApiserver: () => children.end(APISERVER),
      startApiserver: async (limit) => void (await startApiserver(limit)),
      stop: () => children.stop(),
    };
  } catch (error) {
    await children.stop();
    throw error;
  }
}

async function writeInputs(layout: Layout, adminToken: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await Promise.all([
    writeFile(layout.signingKey, privateKey, { mode: 0o600 }),
    writeFile(layout.tokens, `${adminToken},admin,admin,system:masters\n`, { mode: 0o600 }),
    writeFile(layout.auditPolicy, JSON.stringify(AUDIT_POLICY)),
    writeFile(layout.auditLog, ''),
  ]);
}

async function untilReady(
  server: string,
  adminToken: string,
  { servingCertificate }: Layout,
  signal: AbortSignal,
): Promise<Access> {
  return poll('the API server is ready', signal, async () => {
    // The server makes its certificate itself. Trusting only this one, we cannot mistake another server for ours.
    const ca = await readFile(servingCertificate, 'utf8');
    const access = { server, adminToken, ca };
    return (await get(access, '/readyz', 'rook-deps-controlplane', signal)).status === 200
      ? access
      : undefined;
  });
}

async function addControllerManager(
  children: Children,
  binaries: Binaries,
  layout: Layout,
  { keepsWorkloads = false }: ControlPlaneOptions,
  admin: Access,
  signal: AbortSignal,
): Promise<void> {
  if (!binaries.kubeControllerManager) {
    throw new Unavailable('KUBEBUILDER_ASSETS holds no kube-controller-manager, and this needs one');
  }
  children.start(
    'kube-controller-manager',
    binaries.kubeControllerManager,
    controllerManagerFlags(layout, keepsWorkloads),
  );
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  await poll('the controller manager works', signal, async () => {
    const { status } = await get(admin, path, 'rook-deps-controlplane', signal);
    return status === 200 ? true : undefined;
  });
}

/** Asks again until there is an answer; a failure to ask counts as none. */
async function poll<T>(what: string, signal: AbortSignal, ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined) return answer;
    if (signal.aborted) throw new Error(`cannot wait any longer until ${what}`, { cause: signal.reason });
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function kubeconfigOf({ server, adminToken, ca }: Access): string {
  const name = 'controlplane';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'admin', user: { token: adminToken } }],
    contexts: [{ name, context: { cluster: name, user: 'admin' } }],
    'current-context': name,
  });
}
