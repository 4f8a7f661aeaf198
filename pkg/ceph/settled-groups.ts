import type { Clock } from '#pkg/clock';
import type { Ceph } from './client.ts';
import type { OsdMap } from './osd-map.ts';
import type { PgMap, PlacementGroup } from './pg-map.ts';
import { CephSilent } from './runner.ts';

/** What is true of the placement groups now, and not some seconds ago. */
export interface Settled {
  readonly osdMap: OsdMap;
  readonly groups: readonly PlacementGroup[];
}

const POLL_MS = 200;
const PATIENCE_MS = 20_000;

/**
 * The placement groups after every OSD that is up has reported anew. OSDs report, and the manager tells, on timers:
 * without this, "all clean" may be an answer from before an OSD went down. A manager that is dead makes it throw.
 */
export async function settledGroups(ceph: Ceph, clock: Clock, signal: AbortSignal): Promise<Settled> {
  const until = clock.now() + PATIENCE_MS;
  for (let before = await ceph.osdMap(signal); ;) {
    const wanted = await ceph.flushReports(signal);
    const { groups } = await reported(ceph, wanted, until, clock, signal);
    const osdMap = await ceph.osdMap(signal);
    // Somebody who came or went meanwhile belongs to another picture. The epoch says too much: it counts snapshots.
    const isWhole = osdMap.osds.every(({ id, isUp }) => !isUp || wanted.has(id));
    const isSteady = isWhole && upOsds(before) === upOsds(osdMap);
    if (isSteady && areCurrent(groups, osdMap)) return { osdMap, groups };
    before = osdMap;
    await pause('the OSD map does not come to rest', until, clock, signal);
  }
}

/**
 * Whether no group names an OSD that is down: its others reported before they heard of that. One that nobody has spoken for
 * since says so itself, and may never say anything else.
 */
function areCurrent(groups: readonly PlacementGroup[], { osds }: OsdMap): boolean {
  const up = new Set(osds.filter(({ isUp }) => isUp).map(({ id }) => id));
  const isCurrent = ({ state, acting }: PlacementGroup): boolean =>
    state.split('+').includes('stale') || acting.every((id) => up.has(id));
  return groups.every(isCurrent);
}

function upOsds({ osds }: OsdMap): string {
  const up = osds.filter(({ isUp }) => isUp);
  return up.map(({ id }) => id).join();
}

async function reported(
  ceph: Ceph,
  wanted: ReadonlyMap<number, number>,
  until: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<PgMap> {
  for (;;) {
    const seen = await ceph.pgMap(signal);
    if ([...wanted].every(([osd, number]) => (seen.reports.get(osd) ?? 0) >= number)) return seen;
    await pause('the reports of the OSDs do not reach the manager', until, clock, signal);
  }
}

async function pause(trouble: string, until: number, clock: Clock, signal: AbortSignal): Promise<void> {
  if (clock.now() >= until) throw new CephSilent(trouble);
  await clock.sleep(POLL_MS, signal);
}

/** What Rook takes for healthy, unless the CephCluster says otherwise. */
export const HEALTHY_STATE = /^active(\+(clean|deep|scrubbing|snaptrim|snaptrim_wait))+$/;

/** Whether all groups have all their copies. A cluster without groups has nothing that could lack one. */
export function isClean(groups: readonly PlacementGroup[], healthy: RegExp = HEALTHY_STATE): boolean {
  return groups.every(({ state }) => healthy.test(state));
}

/** How many groups are in each state, the most frequent first. */
export function statesOf(groups: readonly PlacementGroup[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { state } of groups) counts.set(state, (counts.get(state) ?? 0) + 1);
  return new Map([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}
