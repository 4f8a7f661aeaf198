import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '#pkg/clock';
import { cephClient, isClean, localRunner, settledGroups, type Ceph } from '#pkg/ceph';
import { Children, freePort, output, run, ServerEnded, type Finished } from '../controlplane/index.ts';
import { addFilesystem } from './filesystem.ts';
import { startGateway, type Gateway } from './gateway.ts';
import { makeKeyring } from './keyring.ts';
import { configuration, PG_NUM, THREE_ZONES, type CephLayout, type CephOptions } from './layout.ts';
import { ensureCeph, radosClasses } from './programs.ts';

const START_TIMEOUT_MS = 120_000;
const CLEAN_TIMEOUT_MS = 60_000;
const POLL_MS = 200;
const PORT_ATTEMPTS = 5;

/** A running Ceph: one monitor, one manager, and OSDs, each a process of its own. */
export interface CephCluster {
  readonly folder: string;
  /** What `ceph --conf` takes. */
  readonly conf: string;
  readonly fsid: string;
  readonly gateway: Gateway | undefined;
  /** The product's own client. */
  readonly ceph: Ceph;
  /** Runs a program of Ceph against it; must succeed. */
  output(program: string, args: readonly string[]): Promise<string>;
  run(program: string, args: readonly string[]): Promise<Finished>;
  /** Tells Ceph on which node it runs, as it would from a pod. */
  startOsd(id: number, node?: string): void;
  /** As a pod that is deleted: the OSD takes its leave. */
  stopOsd(id: number): Promise<void>;
  /** As a crash; what a memstore held is lost. */
  killOsd(id: number): Promise<void>;
  isOsdRunning(id: number): boolean;
  /** As a kernel that does not answer: the process is there, and does nothing. */
  freezeOsd(id: number): void;
  thawOsd(id: number): void;
  killManager(): Promise<void>;
  startManager(): void;
  /** Waits until all OSDs are up and all placement groups really are clean. */
  untilClean(signal?: AbortSignal): Promise<void>;
  /** Ends all its processes and removes its files. Both also happen when this process dies. */
  stop(): Promise<void>;
}

/** Starts a cluster of Ceph on loopback and waits until all its placement groups are clean. */
export async function startCeph(
  options: CephOptions = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<CephCluster> {
  await ensureCeph((line) => process.stderr.write(`${line}\n`), signal);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options, limit);
    } catch (error) {
      const lost = error instanceof ServerEnded && /address already in use/i.test(error.log);
      if (!lost || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOnce(options: CephOptions, signal: AbortSignal): Promise<CephCluster> {
  const layout = await makeLayout(options);
  const children = new Children(layout.folder);
  try {
    const cluster = clusterOf(layout, children);
    await children.during(boot(cluster, layout, children, options, signal));
    if (options.filesystem)
      await children.during(addFilesystem(cluster, children, layout, options.filesystem, signal));
    const gateway = options.rgw
      ? await children.during(startGateway(cluster, children, layout, signal))
      : undefined;
    await children.during(cluster.untilClean(signal));
    return { ...cluster, gateway };
  } catch (error) {
    await children.stop();
    throw error;
  }
}

async function makeLayout({ osds = THREE_ZONES, downOutSeconds = 600 }: CephOptions): Promise<CephLayout> {
  // Short: the path of a socket has at most 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'rd-ceph-'));
  return {
    folder,
    conf: join(folder, 'ceph.conf'),
    keyring: join(folder, 'keyring'),
    fsid: randomUUID(),
    monPort: await freePort(),
    rgwPort: await freePort(),
    radosClasses: await radosClasses(),
    osds,
    downOutSeconds,
  };
}

function clusterOf(layout: CephLayout, children: Children): CephCluster {
  const { folder, conf, fsid } = layout;
  const env = { ...process.env, CEPH_CONF: conf };
  const ceph = cephClient(localRunner({ conf, env }));
  const never = new AbortController().signal;
  return {
    folder,
    conf,
    fsid,
    ceph,
    gateway: undefined,
    output: (program, args) => output(program, args, { env }, never),
    run: (program, args) => run(program, args, { env }, never),
    startOsd: (id, node) => {
      const pod = node === undefined ? {} : { POD_NAME: `rook-ceph-osd-${id}`, NODE_NAME: node };
      daemon(children, `osd.${id}`, 'ceph-osd', String(id), conf, pod);
    },
    stopOsd: (id) => children.end(`osd.${id}`, 'SIGTERM'),
    killOsd: (id) => children.end(`osd.${id}`),
    isOsdRunning: (id) => children.isRunning(`osd.${id}`),
    freezeOsd: (id) => children.signal(`osd.${id}`, 'SIGSTOP'),
    thawOsd: (id) => children.signal(`osd.${id}`, 'SIGCONT'),
    killManager: () => children.end('mgr.x'),
    startManager: () => daemon(children, 'mgr.x', 'ceph-mgr', 'x', conf),
    untilClean: (signal = never) => untilClean(ceph, signal),
    stop: () => children.stop(),
  };
}

/** In the foreground, so that the process we know is the daemon itself. */
function daemon(
  children: Children,
  name: string,
  program: string,
  id: string,
  conf: string,
  env: Readonly<Record<string, string>> = {},
): void {
  children.start(name, program, ['-f', '-i', id, '-c', conf], env);
}

async function boot(
  cluster: CephCluster,
  layout: CephLayout,
  children: Children,
  options: CephOptions,
  signal: AbortSignal,
): Promise<void> {
  const { conf, osds } = layout;
  await makeMonitor(layout, signal);
  daemon(children, 'mon.a', 'ceph-mon', 'a', conf);
  cluster.startManager();
  const uuids = osds.map(() => randomUUID());
  await Promise.all(uuids.map((uuid, id) => makeStore(id, uuid, layout, signal)));
  // Numbers are given in order, so the n-th UUID becomes osd.n. Pools come first: groups then form once, not twice.
  await batch(layout, [...uuids.map((uuid) => `osd new ${uuid}`), ...poolCommands(options)], signal);
  for (const [id, { host, node = host }] of osds.entries()) cluster.startOsd(id, node);
}

async function makeMonitor(layout: CephLayout, signal: AbortSignal): Promise<void> {
  const { folder, conf, keyring, fsid, monPort, osds } = layout;
  for (const name of ['log', 'asok', 'mon', 'mgr', 'mds', ...osds.map((_, id) => `osd.${id}`)]) {
    await mkdir(join(folder, name));
  }
  const keys = await makeKeyring(osds, signal);
  await writeFile(keyring, keys, { mode: 0o600 });
  await writeFile(join(folder, 'mgr/keyring'), keys, { mode: 0o600 });
  await writeFile(conf, configuration(layout));
  const monmap = join(folder, 'monmap');
  const address = `[v2:127.0.0.1:${monPort}]`;
  await output('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', address, monmap], {}, signal);
  const flags = ['-c', conf, '-i', 'a', '--mkfs', '--monmap', monmap, '--keyring', keyring];
  await output('ceph-mon', flags, {}, signal);
}

/** Without asking the monitor for anything. */
async function makeStore(id: number, uuid: string, { conf }: CephLayout, signal: AbortSignal): Promise<void> {
  const flags = ['-c', conf, '-i', String(id), '--mkfs', '--osd-uuid', uuid, '--no-mon-config'];
  await output('ceph-osd', flags, {}, signal);
}

/** Two pools to play with, one spread over zones, one over hosts. */
function poolCommands({ rgw, filesystem }: CephOptions): readonly string[] {
  const pool = (name: string, rule: string, application: string): readonly string[] => [
    `osd pool create ${name} ${PG_NUM} ${PG_NUM} replicated ${rule}`,
    `osd pool application enable ${name} ${application}`,
  ];
  // The gateway would make its pools when it first needs them, in the middle of a test.
  const parts = ['log', 'control', 'meta', 'buckets.index', 'buckets.data', 'buckets.non-ec'];
  return [
    'osd crush rule create-replicated by-zone default zone',
    'osd crush rule create-replicated by-host default host',
    ...pool('pool-zone', 'by-zone', 'rbd'),
    ...(rgw ? parts.flatMap((part) => pool(`default.rgw.${part}`, 'by-zone', 'rgw')) : []),
    ...(filesystem
      ? ['metadata', 'data0'].flatMap((part) => pool(`${filesystem}-${part}`, 'by-zone', 'cephfs'))
      : []),
    'config set mgr mgr/devicehealth/enable_monitoring false --force',
  ];
}

/** Many commands in one process: most of the time of one is its start. */
async function batch({ conf }: CephLayout, commands: readonly string[], signal: AbortSignal): Promise<void> {
  const flags = ['--conf', conf, '--connect-timeout', '60'];
  const { code, stderr } = await run('ceph', flags, { stdin: `${commands.join('\n')}\n` }, signal);
  // It goes on after a command that failed.
  if (code !== 0 || /^(error|invalid|no valid)/im.test(stderr))
    throw new Error(`cannot set up Ceph: ${stderr}`);
}

async function untilClean(ceph: Ceph, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CLEAN_TIMEOUT_MS)]);
  for (;;) {
    if (await looksClean(ceph, limit).catch(() => false)) return;
    if (limit.aborted) throw new Error('cannot wait any longer until all placement groups are clean');
    await sleep(POLL_MS, undefined, { signal: limit }).catch(() => undefined);
  }
}

async function looksClean(ceph: Ceph, signal: AbortSignal): Promise<boolean> {
  const { osds } = await ceph.osdMap(signal);
  if (osds.length === 0 || osds.some(({ isUp }) => !isUp)) return false;
  const settled = await settledGroups(ceph, systemClock, signal);
  const allUp = settled.osdMap.osds.every(({ isUp }) => isUp);
  return allUp && settled.groups.length > 0 && isClean(settled.groups);
}
