import {
  forecastStop,
  isCephFailure,
  isClean,
  settledGroups,
  statesOf,
  type Ceph,
  type Settled,
} from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import { drainSettings, osdFacts, viewCeph, type CephView, type OsdFacts, type OsdSources } from '#pkg/drain';
import type { KubeObject } from '#pkg/object';
import { oneByOne, type Movable } from './one-by-one.ts';
import type { CephAnswer, SettledGroups } from './situation.ts';

export interface CephFinding {
  readonly answer: CephAnswer;
  /** As Ceph's rules have it; absent when it was silent. */
  readonly type?: string;
  readonly osds?: readonly OsdFacts[];
}

/** Some objects of such a group have fewer copies than its OSDs let expect. */
const LACKS_OBJECTS = /degraded|recovering|recovery_/;

/** What goes with the node. */
export interface Leaving {
  /** The names that its OSDs may know it by. */
  readonly nodes: readonly (string | undefined)[];
  /** OSDs that were on it when it began, and run nowhere else. */
  readonly recorded: readonly number[];
  readonly movable: Movable;
  readonly metadataServers: readonly string[];
}

/** Asks Ceph all that matters. Silence is an answer, and never a good one. */
export async function askCeph(
  ceph: Ceph,
  cluster: KubeObject,
  sources: Omit<OsdSources, 'lastNodes'>,
  { nodes, recorded, movable, metadataServers }: Leaving,
  clock: Clock,
  signal: AbortSignal,
): Promise<CephFinding> {
  try {
    // Each question is a program that takes its time, somewhere else.
    const [{ osdMap: map, layout }, status, quorum, settled, opinion] = await Promise.all([
      viewed(ceph, signal),
      ceph.status(signal),
      ceph.quorum(signal),
      orTrouble(() => settledGroups(ceph, clock, signal)),
      metadataServers.length > 0 ? ceph.okToStopServers(metadataServers, signal) : undefined,
    ]);
    const { type } = layout;
    const osds = await factsOf(ceph, type, sources, signal);
    const own = osds.filter(({ node }) => node !== undefined && nodes.includes(node)).map(({ id }) => id);
    const leaving = [...new Set([...recorded, ...own])];
    const groups =
      'trouble' in settled
        ? settled
        : await orTrouble(() => groupsWithout(ceph, { leaving, movable }, settled, cluster, signal));
    const osdMap = 'trouble' in settled ? map : settled.osdMap;
    const { health, checks, ranks } = status;
    const files = opinion && { metadataServers: { names: metadataServers, opinion } };
    const answer = { kind: 'told', osdMap, health, checks, ranks, quorum, groups, ...files } as const;
    return { answer, type, osds };
  } catch (error) {
    if (!isCephFailure(error)) throw error;
    return { answer: { kind: 'silent', reason: error.message } };
  }
}

async function viewed(ceph: Ceph, signal: AbortSignal): Promise<CephView> {
  const rethrow = (error: Error): never => {
    throw error;
  };
  const view = await viewCeph(ceph, undefined, rethrow, signal);
  if (!view) throw new Error('Ceph was neither silent nor seen');
  return view;
}

/** Where a pod may run anywhere, only Ceph knows where it was. */
async function factsOf(
  ceph: Ceph,
  type: string,
  sources: Omit<OsdSources, 'lastNodes'>,
  signal: AbortSignal,
): Promise<readonly OsdFacts[]> {
  const facts = osdFacts(type, { ...sources, lastNodes: new Map() });
  const isLost = facts.some(({ node }) => node === undefined);
  return isLost ? osdFacts(type, { ...sources, lastNodes: await ceph.osdNodes(signal) }) : facts;
}

async function groupsWithout(
  ceph: Ceph,
  { leaving, movable }: { readonly leaving: readonly number[]; readonly movable: Movable },
  settled: Settled,
  cluster: KubeObject,
  signal: AbortSignal,
): Promise<SettledGroups> {
  const { groups, osdMap } = settled;
  const up = new Set(osdMap.osds.filter(({ isUp }) => isUp).map(({ id }) => id));
  const still = leaving.filter((id) => up.has(id));
  const words = [...statesOf(groups)].map(([state, count]) => `${count} ${state}`).join(', ');
  const { healthy } = drainSettings(cluster);
  const unclean = groups.filter(
    (group) => !isClean([group], healthy) && group.acting.some((id) => still.includes(id)),
  );
  const isWhole = isClean(groups, healthy);
  const turns = oneByOne(still, movable, settled, isWhole);
  const stopped = turns?.next === undefined ? still : [turns.next];
  return {
    isClean: isWhole,
    unclean: unclean.map(({ id }) => id),
    needed: unclean.filter(({ state }) => LACKS_OBJECTS.test(state)).map(({ id }) => id),
    words: words || 'none',
    forecast: forecastStop(stopped, groups, osdMap.pools),
    turns,
    opinion: stopped.length === 0 || (await ceph.okToStop(stopped, signal)).isOk,
  };
}

/** Without a manager nobody knows how the data is, and everything else can still be asked. */
async function orTrouble<T>(ask: () => Promise<T>): Promise<T | { readonly trouble: string }> {
  try {
    return await ask();
  } catch (error) {
    if (!isCephFailure(error)) throw error;
    return { trouble: error.message };
  }
}
