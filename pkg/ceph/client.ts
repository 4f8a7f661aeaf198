import { parseAnswer, requiredTexts } from './answers.ts';
import {
  parseQuorum,
  parseStatus,
  parseStopOpinion,
  type ClusterStatus,
  type Quorum,
  type ServiceOpinion,
  type StopOpinion,
} from './cluster-state.ts';
import { lastWords } from './connection-trouble.ts';
import { parseCrushRules, parseCrushTree, type CrushRule, type CrushTree } from './crush.ts';
import { parseOsdMap, parseOsdNodes, type OsdMap } from './osd-map.ts';
import { parsePgMap, type PgMap } from './pg-map.ts';
import {
  CephRefused,
  CephUnreadable,
  commandLine,
  type CephCommand,
  type CephProgram,
  type CephRunner,
  type Finished,
} from './runner.ts';
import * as stored from './stored-things.ts';

/** How long a question may take: long enough for a busy cluster, short enough for somebody who waits. */
export const TIMEOUT_MS = 15_000;

/** Exit codes with which `ok-to-stop` answers as well: EBUSY, EAGAIN. */
const STOP_ANSWERS = [0, 11, 16];
/** With it `mds ok-to-stop` says no. */
const BUSY = 16;
/** Some OSDs did not take a command that was for all of them: they are down. */
const SOME_ABSENT = [0, 6];

/** Which gateway data are meant; empty for the default ones. */
export interface RgwScope {
  readonly realm?: string | undefined;
  readonly zoneGroup?: string | undefined;
  readonly zone?: string | undefined;
}

/** Typed questions to one cluster. They throw CephSilent, CephRefused or CephUnreadable, and nothing else of Ceph's. */
export interface Ceph {
  status(signal: AbortSignal): Promise<ClusterStatus>;
  quorum(signal: AbortSignal): Promise<Quorum>;
  osdMap(signal: AbortSignal): Promise<OsdMap>;
  /** By OSD, the node it last started on. */
  osdNodes(signal: AbortSignal): Promise<ReadonlyMap<number, string>>;
  crushRules(signal: AbortSignal): Promise<readonly CrushRule[]>;
  crushTree(signal: AbortSignal): Promise<CrushTree>;
  /** As the manager knows them, which may be seconds ago: see `settledGroups`. */
  pgMap(signal: AbortSignal): Promise<PgMap>;
  /** Makes every OSD report at once; returns the number of each one's report. Those that are down are missing. */
  flushReports(signal: AbortSignal): Promise<ReadonlyMap<number, number>>;
  okToStop(osds: readonly number[], signal: AbortSignal): Promise<StopOpinion>;
  /** Whether others would take over from these metadata servers. */
  okToStopServers(names: readonly string[], signal: AbortSignal): Promise<ServiceOpinion>;
  setNoout(bucket: string, signal: AbortSignal): Promise<void>;
  unsetNoout(bucket: string, signal: AbortSignal): Promise<void>;
  radosNamespaces(pool: string, signal: AbortSignal): Promise<readonly string[]>;
  /** `namespace` is empty for the pool's own. */
  images(pool: string, namespace: string, signal: AbortSignal): Promise<readonly string[]>;
  snapshots(pool: string, namespace: string, signal: AbortSignal): Promise<readonly string[]>;
  trash(pool: string, namespace: string, signal: AbortSignal): Promise<readonly stored.TrashedImage[]>;
  objectCounts(signal: AbortSignal): Promise<ReadonlyMap<string, number>>;
  objects(pool: string, signal: AbortSignal): Promise<readonly stored.RadosObject[]>;
  filesystems(signal: AbortSignal): Promise<readonly stored.FilesystemPools[]>;
  subvolumeGroups(filesystem: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Without a group: those outside of all groups. */
  subvolumes(filesystem: string, group: string | undefined, signal: AbortSignal): Promise<readonly string[]>;
  buckets(scope: RgwScope, signal: AbortSignal): Promise<readonly string[]>;
  gatewayUser(uid: string, scope: RgwScope, signal: AbortSignal): Promise<stored.AccessKey>;
  zoneGroup(scope: RgwScope, signal: AbortSignal): Promise<stored.ZoneGroup>;
}

export function cephClient(runner: CephRunner, timeoutMs = TIMEOUT_MS): Ceph {
  const ask = asker(runner, timeoutMs);
  const rbd = (verb: readonly string[], pool: string, namespace: string): readonly string[] => [
    ...verb,
    '--pool',
    pool,
    ...(namespace ? ['--namespace', namespace] : []),
  ];
  return {
    status: (signal) => ask('ceph', ['status'], parseStatus, signal),
    quorum: (signal) => ask('ceph', ['quorum_status'], parseQuorum, signal),
    osdMap: (signal) => ask('ceph', ['osd', 'dump'], parseOsdMap, signal),
    osdNodes: (signal) => ask('ceph', ['osd', 'metadata'], parseOsdNodes, signal),
    crushRules: (signal) => ask('ceph', ['osd', 'crush', 'rule', 'dump'], parseCrushRules, signal),
    crushTree: (signal) => ask('ceph', ['osd', 'tree'], parseCrushTree, signal),
    pgMap: (signal) => ask('ceph', ['pg', 'dump', 'pgs_brief', 'osds'], parsePgMap, signal),
    flushReports: (signal) => flushReports(runner, timeoutMs, signal),
    okToStop: (osds, signal) =>
      ask('ceph', ['osd', 'ok-to-stop', ...osds.map(String)], parseStopOpinion, signal, STOP_ANSWERS),
    okToStopServers: (names, signal) => okToStopServers(names, runner, timeoutMs, signal),
    setNoout: (bucket, signal) => ask('ceph', ['osd', 'set-group', 'noout', bucket], undefined, signal),
    unsetNoout: (bucket, signal) => ask('ceph', ['osd', 'unset-group', 'noout', bucket], undefined, signal),
    radosNamespaces: (pool, signal) =>
      ask('rbd', rbd(['namespace', 'ls'], pool, ''), stored.parseNames, signal),
    images: (pool, namespace, signal) => ask('rbd', rbd(['ls'], pool, namespace), requiredTexts, signal),
    snapshots: (pool, namespace, signal) =>
      ask('rbd', rbd(['ls', '--long'], pool, namespace), stored.parseSnapshots, signal),
    trash: (pool, namespace, signal) =>
      ask('rbd', rbd(['trash', 'ls', '--all'], pool, namespace), stored.parseTrash, signal),
    objectCounts: (signal) => ask('ceph', ['df'], stored.parseObjectCounts, signal),
    objects: (pool, signal) => ask('rados', ['--pool', pool, 'ls', '--all'], stored.parseObjects, signal),
    filesystems: (signal) => ask('ceph', ['fs', 'ls'], stored.parseFilesystems, signal),
    subvolumeGroups: (filesystem, signal) =>
      ask('ceph', ['fs', 'subvolumegroup', 'ls', filesystem], stored.parseNames, signal),
    subvolumes: (filesystem, group, signal) =>
      ask(
        'ceph',
        ['fs', 'subvolume', 'ls', filesystem, ...(group ? [group] : [])],
        stored.parseNames,
        signal,
      ),
    buckets: (scope, signal) =>
      ask('radosgw-admin', ['bucket', 'list', ...scoped(scope)], requiredTexts, signal),
    gatewayUser: (uid, scope, signal) =>
      ask('radosgw-admin', ['user', 'info', `--uid=${uid}`, ...scoped(scope)], stored.parseAccessKey, signal),
    zoneGroup: (scope, signal) =>
      ask('radosgw-admin', ['zonegroup', 'get', ...scoped(scope)], stored.parseZoneGroup, signal),
  };
}

function scoped({ realm, zoneGroup, zone }: RgwScope): readonly string[] {
  return [
    ...(realm ? [`--rgw-realm=${realm}`] : []),
    ...(zoneGroup ? [`--rgw-zonegroup=${zoneGroup}`] : []),
    ...(zone ? [`--rgw-zone=${zone}`] : []),
  ];
}

type Ask = <T>(
  program: CephProgram,
  args: readonly string[],
  parse: ((answer: unknown) => T) | undefined,
  signal: AbortSignal,
  answers?: readonly number[],
) => Promise<T>;

function asker(runner: CephRunner, timeoutMs: number): Ask {
  return async (program, args, parse, signal, answers = [0]) => {
    const command = { program, args: [...args, '--format', 'json'], timeoutMs };
    const finished = await runner.run(command, signal);
    const named = { program, args, timeoutMs };
    if (!answers.includes(finished.code)) throw refusal(named, finished);
    // Without a parser, that it succeeded is all there is to know.
    return parse ? parsed(named, finished, parse) : (undefined as never);
  };
}

function refusal(command: CephCommand, { code, stderr }: Finished): CephRefused {
  return new CephRefused(`"${commandLine(command)}" failed with code ${code}: ${lastWords(stderr)}`, code);
}

function parsed<T>(command: CephCommand, { stdout }: Finished, parse: (answer: unknown) => T): T {
  try {
    return parse(parseAnswer(stdout));
  } catch (error) {
    if (!(error instanceof CephUnreadable)) throw error;
    throw new CephUnreadable(`cannot read the answer to "${commandLine(command)}": ${error.message}`, error);
  }
}

async function flushReports(
  runner: CephRunner,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const command: CephCommand = { program: 'ceph', args: ['tell', 'osd.*', 'flush_pg_stats'], timeoutMs };
  const finished = await runner.run(command, signal);
  if (!SOME_ABSENT.includes(finished.code)) throw refusal(command, finished);
  const lines = finished.stdout.matchAll(/^osd\.(\d+): (\d+)\s*$/gm);
  return new Map([...lines].map(([, osd, number]) => [Number(osd), Number(number)]));
}

/** It answers with its exit code and a sentence, and has no JSON. */
async function okToStopServers(
  names: readonly string[],
  runner: CephRunner,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ServiceOpinion> {
  const command: CephCommand = { program: 'ceph', args: ['mds', 'ok-to-stop', ...names], timeoutMs };
  const finished = await runner.run(command, signal);
  if (finished.code !== 0 && finished.code !== BUSY) throw refusal(command, finished);
  const words = lastWords(finished.stderr).replace(/^Error \w+: /, '');
  return { isOk: finished.code === 0, words };
}
