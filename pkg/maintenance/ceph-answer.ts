import {
  forecastStop,
  isCephFailure,
  isClean,
  settledGroups,
  statesOf,
  type Ceph,
  type OsdMap,
} from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import { drainSettings, osdFacts, viewCeph, type CephView, type OsdFacts, type OsdSources } from '#pkg/drain';
import type { KubeObject } from '#pkg/object';
import type { CephAnswer, SettledGroups } from './situation.ts';

export interface CephFinding {
  readonly answer: CephAnswer;
  /** As Ceph's rules have it; absent when it was silent. */
  readonly type?: string;
  readonly osds?: readonly OsdFacts[];
}

/** Asks Ceph all that matters. Silence is an answer, and never a good one. */
export async function askCeph(
  ceph: Ceph,
  cluster: KubeObject,
  sources: Omit<OsdSources, 'lastNodes'>,
  nodes: readonly (string | undefined)[],
  recorded: readonly number[],
  clock: Clock,
  signal: AbortSignal,
): Promise<CephFinding> {
  try {
    const { osdMap: map, layout } = await viewed(ceph, signal);
    const { type } = layout;
    const osds = await factsOf(ceph, type, sources, signal);
    const own = osds.filter(({ node }) => node !== undefined && nodes.includes(node)).map(({ id }) => id);
    // Kubernetes has taken them away, and Ceph does not know yet: they count as gone.
    const fading = osds.filter(({ isDown }) => isDown).map(({ id }) => id);
    const leaving = [...new Set([...(recorded.length > 0 ? recorded : own), ...fading])];
    const [status, quorum] = await Promise.all([ceph.status(signal), ceph.quorum(signal)]);
    const groups = await groupsWithout(ceph, leaving, cluster, clock, signal);
    const osdMap = 'osdMap' in groups ? groups.osdMap : map;
    const answer = {
      kind: 'told',
      osdMap,
      health: status.health,
      checks: status.checks,
      quorum,
      groups,
    } as const;
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
  leaving: readonly number[],
  cluster: KubeObject,
  clock: Clock,
  signal: AbortSignal,
): Promise<(SettledGroups & { readonly osdMap: OsdMap }) | { readonly trouble: string }> {
  try {
    const { groups, osdMap } = await settledGroups(ceph, clock, signal);
    const up = new Set(osdMap.osds.filter(({ isUp }) => isUp).map(({ id }) => id));
    const still = leaving.filter((id) => up.has(id));
    const forecast = forecastStop(still, groups, osdMap.pools);
    const opinion = still.length === 0 || (await ceph.okToStop(still, signal)).isOk;
    const words = [...statesOf(groups)].map(([state, count]) => `${count} ${state}`).join(', ');
    return {
      all: groups,
      isClean: isClean(groups, drainSettings(cluster).healthy),
      words: words || 'none',
      forecast,
      opinion,
      osdMap,
    };
  } catch (error) {
    if (!isCephFailure(error)) throw error;
    return { trouble: error.message };
  }
}
