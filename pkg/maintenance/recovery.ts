import { domainWords, listed } from '#pkg/drain';
import { ownDomains, type CephAnswer, type ClusterFacts, type Situation } from './situation.ts';
import type { Maintenance } from './maintenance.ts';
import type { ClusterOsds, Obstacle, Status } from './status.ts';
import { downNow, held, nooutStep, type Step } from './steps.ts';
import { osdName } from './words.ts';

/** How long data may take to come back before noout goes all the same, and the budgets after it. */
const PATIENCE_MS = 30 * 60_000;

/** The way back: whatever we changed, as it was before, and nothing else. */
export function nextRecovery(situation: Situation): Step {
  const { maintenance, node, surroundings, now } = situation;
  const { status } = maintenance;
  if (!status.prior) return { kind: 'end' };
  if (status.phase !== 'Recovering') {
    const recoveringSince = new Date(now).toISOString();
    return { ...held(situation, 'Recovering', [], { recoveringSince, drain: undefined }), next: 'at-once' };
  }
  const own = node?.uid === status.prior.nodeUid ? node : undefined;
  if (status.cordon === 'setting' || status.cordon === 'set')
    return { kind: 'uncordon', node: own, state: 'off' };
  if (status.clusters.length === 0) return { kind: 'end' };
  if (!surroundings) return { kind: 'inquire' };
  // On a node that others keep cordoned, or that is gone, no OSD will come back.
  const isAwaited = own !== undefined && !own.isCordoned;
  const isLate = isPatienceOver(status, now);
  const clusters = isAwaited ? surroundings.clusters.flatMap((cluster) => concerned(cluster, status)) : [];
  const missing = clusters.flatMap(missingIn);
  const waiting = held(situation, 'Recovering', missing, downNow(situation));
  if (missing.length > 0 && !isLate) return waiting;
  // What is given up has to be known when it is over.
  if (isLate && !sameReasons(missing, status.blockedBy)) return { ...waiting, next: 'at-once' };
  const open = status.noout.find(({ state }) => state !== 'off');
  if (open) return nooutStep(situation, open, 'unset');
  // Nothing of ours depends on them: whoever maintains the next node does.
  const blocking = isLate ? [] : clusters.flatMap(blockingIn);
  return blocking.length > 0 ? held(situation, 'Recovering', blocking, downNow(situation)) : { kind: 'end' };
}

function isPatienceOver({ recoveringSince = '' }: Status, now: number): boolean {
  return now - Date.parse(recoveringSince) > PATIENCE_MS;
}

function sameReasons(a: readonly Obstacle[], b: readonly Obstacle[]): boolean {
  return a.length === b.length && a.every(({ reason }, at) => reason === b[at]?.reason);
}

/** What had not come back when a stop ended, in words; undefined when all had. */
export function givenUp({ status, isStopping }: Maintenance, now: number): string | undefined {
  if (!isStopping || status.blockedBy.length === 0 || !isPatienceOver(status, now)) return undefined;
  const what = status.blockedBy.map(({ message }) => message).join('; ');
  return `given up after ${PATIENCE_MS / 60_000} minutes: ${what}`;
}

/** A cluster, and its OSDs that were on the node. */
interface Concerned {
  readonly cluster: ClusterFacts;
  readonly known: ClusterOsds;
}

function concerned(
  cluster: ClusterFacts,
  { clusters }: Situation['maintenance']['status'],
): readonly Concerned[] {
  const known = clusters.find((one) => one.cluster === cluster.id);
  return known ? [{ cluster, known }] : [];
}

function missingIn({ cluster, known }: Concerned): readonly Obstacle[] {
  const { id, ceph } = cluster;
  if (ceph.kind === 'silent')
    return [{ reason: 'CephSilent', message: `Ceph of ${id} does not answer: ${ceph.reason}` }];
  const down = downIn(ceph).filter((osd) => known.osds.includes(osd));
  if (down.length > 0)
    return [{ reason: 'OsdDown', message: `waiting for ${listed(down.map(osdName))} to come up` }];
  if ('trouble' in ceph.groups)
    return [
      {
        reason: 'CephSilent',
        message: `Ceph does not tell how its placement groups are: ${ceph.groups.trouble}`,
      },
    ];
  const { isClean, unclean, words } = ceph.groups;
  // Another node of the domain may be away for hours: what it lacks is not waited for.
  if (isClean || (isShared({ cluster, known }, ceph) && unclean.length === 0)) return [];
  return [{ reason: 'Unclean', message: `waiting until all placement groups are clean: ${words}` }];
}

type Told = Extract<CephAnswer, { kind: 'told' }>;

function downIn({ osdMap }: Told): readonly number[] {
  return osdMap.osds.filter(({ isUp }) => !isUp).map(({ id }) => id);
}

/** Whether OSDs of the same domain are down that were not on the node. */
function isShared({ cluster, known }: Concerned, ceph: Told): boolean {
  const own = ownDomains(cluster);
  const kin = cluster.osds.filter(({ id, domain }) => own.includes(domain) && !known.osds.includes(id));
  const down = new Set(downIn(ceph));
  return kin.some(({ id }) => down.has(id));
}

/** Budgets that were made for the sake of this node's domain, and are still there. */
function blockingIn({ cluster, known }: Concerned): readonly Obstacle[] {
  const { ceph, blocking, draining, type } = cluster;
  const own = ownDomains(cluster);
  const isForOthers = draining.some(({ domain }) => !own.includes(domain));
  if (blocking.length === 0 || isForOthers || ceph.kind === 'silent') return [];
  if (isShared({ cluster, known }, ceph)) return [];
  const domains = listed(own.map((domain) => domainWords(type, domain)));
  const verb = blocking.length === 1 ? 'is' : 'are';
  const message = `all data is back, and noout is off; waiting until ${listed(blocking)} ${verb} gone, which hold other OSDs for the sake of ${domains}`;
  return [{ reason: 'BudgetsBlocking', message }];
}
