import { listed, NODE } from '#pkg/drain';
import type { PodEviction } from '#pkg/kube';
import { isConflict, type KubeObject, type Writer } from '#pkg/object';
import { evictAll, FAILED } from './evictions.ts';
import { inquire, type InquiryPorts } from './inquiry.ts';
import type { Ledger } from './ledger.ts';
import type { Maintenance } from './maintenance.ts';
import type { Observer } from './observe.ts';
import { nextStep } from './plan.ts';
import { givenUp } from './recovery.ts';
import type { Situation, Surroundings } from './situation.ts';
import type { Status } from './status.ts';
import { downNow, pendingPods, type Step } from './steps.ts';
import { osdName } from './words.ts';

export interface MaintenancePorts extends InquiryPorts {
  readonly writer: Pick<Writer, 'patch'>;
  readonly evict: PodEviction;
  record(object: KubeObject, reason: string, note: string, signal: AbortSignal): Promise<void>;
}

/** What came of one look: where it stands, and when to look again; `ended` when nothing is left of it. */
export type Advance =
  | { readonly kind: 'ended'; readonly maintenance: Maintenance }
  | { readonly kind: 'again'; readonly maintenance: Maintenance; readonly afterMs: number };

/** Pods and OSDs take seconds to go and to come. */
const SOON_MS = 2000;
/** Budgets are asked again as kubectl drain does. */
const HELD_MS = 5000;
/** What has been in the way for a while seldom goes in the next seconds, and Ceph has other things to do. */
const STILL_HELD_MS = 10_000;
const LATER_MS = 30_000;

/** Brings a maintenance one step on. Everything it needs to know it reads, and what it does it has written down before. */
export async function advance(
  maintenance: Maintenance,
  ledger: Ledger,
  observer: Observer,
  ports: MaintenancePorts,
  signal: AbortSignal,
): Promise<Advance> {
  try {
    const seen = await observer.look(maintenance, ports.clock.now(), signal);
    const first = nextStep(seen);
    if (first.kind !== 'inquire') return await take(first, seen, ledger, ports, signal);
    const surroundings = await inquire(seen, ports, signal);
    const now = await asOfNow(seen, ledger, observer, signal);
    if (!now) return { kind: 'ended', maintenance };
    const situation = { ...now, surroundings };
    return await take(nextStep(situation), situation, ledger, ports, signal);
  } catch (error) {
    if (!signal.aborted && !isConflict(error)) await keepError(error, maintenance, ledger, signal);
    throw error;
  }
}

/** Ceph takes seconds to answer: meanwhile somebody may have stopped it, or uncordoned the node. */
async function asOfNow(
  seen: Situation,
  ledger: Ledger,
  observer: Observer,
  signal: AbortSignal,
): Promise<Situation | undefined> {
  const { request, origin } = seen.maintenance;
  const [maintenance, node] = await Promise.all([
    ledger.find(request.node, signal),
    observer.node(request.node, signal),
  ]);
  const isSame = maintenance?.origin.metadata.uid === origin.metadata.uid;
  return maintenance && isSame ? { ...seen, maintenance, node } : undefined;
}

/** For whoever asks why nothing happens. If that cannot be written either, the first error is the one to tell. */
async function keepError(
  error: unknown,
  maintenance: Maintenance,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  const lastError = error instanceof Error ? error.message : String(error);
  await ledger.keep(maintenance, { ...maintenance.status, lastError }, signal).catch(() => undefined);
}

async function take(
  step: Step,
  situation: Situation,
  ledger: Ledger,
  ports: MaintenancePorts,
  signal: AbortSignal,
): Promise<Advance> {
  const { maintenance } = situation;
  const keep = async (next: Status, afterMs: number, lastError?: string): Promise<Advance> => {
    const status = { ...next, lastError };
    const kept = await ledger.keep(maintenance, status, signal);
    await tellOf(situation, status, ports, signal);
    return { kind: 'again', maintenance: kept, afterMs };
  };
  switch (step.kind) {
    case 'inquire':
      throw new Error('asked twice for what is known');
    case 'tell':
      return keep(step.status, waitMs(step, situation));
    case 'cordon':
    case 'uncordon':
      await setUnschedulable(step, ports, signal);
      return keep({ ...maintenance.status, cordon: step.state }, 0);
    case 'noout':
      await setFlags(step, situation, ports, signal);
      return keep({ ...maintenance.status, ...downNow(situation), ...nooutNow(step, maintenance.status) }, 0);
    case 'evict':
      return evicted(step, situation, ports, keep, signal);
    case 'end':
      await ledger.end(maintenance, signal);
      await tellOf(situation, undefined, ports, signal);
      return { kind: 'ended', maintenance };
  }
}

function waitMs({ next, status }: Extract<Step, { kind: 'tell' }>, { maintenance, now }: Situation): number {
  if (next === 'at-once') return 0;
  if (next === 'soon') return isStillHeld(status, maintenance.status) ? STILL_HELD_MS : SOON_MS;
  const { expiresAt, phase } = maintenance.status;
  const left = expiresAt === undefined || phase === 'Expired' ? LATER_MS : Date.parse(expiresAt) - now;
  return Math.max(SOON_MS, Math.min(LATER_MS, left));
}

function isStillHeld(now: Status, before: Status): boolean {
  return now.phase === 'Pending' && before.phase === 'Pending' && now.message === before.message;
}

/** Only the very node that was meant; one that is as it should be is not written. */
async function setUnschedulable(
  { kind, node }: Extract<Step, { kind: 'cordon' | 'uncordon' }>,
  { writer }: MaintenancePorts,
  signal: AbortSignal,
): Promise<void> {
  const isWanted = kind === 'cordon';
  if (!node || node.isCordoned === isWanted) return;
  const body = { metadata: { uid: node.uid }, spec: { unschedulable: isWanted || null } };
  await writer.patch({ ...NODE, name: node.name }, { type: 'merge', body }, signal);
}

async function setFlags(
  { flag, change, osds }: Extract<Step, { kind: 'noout' }>,
  { surroundings }: Situation,
  ports: MaintenancePorts,
  signal: AbortSignal,
): Promise<void> {
  const cluster = surroundings?.clusters.find(({ id }) => id === change.cluster);
  if (!cluster || osds.length === 0) return;
  const ceph = ports.cephOf(cluster.object);
  for (const id of osds)
    await (flag === 'set' ? ceph.setNoout(osdName(id), signal) : ceph.unsetNoout(osdName(id), signal));
}

function nooutNow({ change, flag }: Extract<Step, { kind: 'noout' }>, status: Status): Pick<Status, 'noout'> {
  const state = flag === 'set' ? 'set' : 'off';
  return { noout: status.noout.map((one) => (one.cluster === change.cluster ? { ...one, state } : one)) };
}

const NOTHING: Pick<Surroundings, 'clusters'> = { clusters: [] };

async function evicted(
  { pods, wave }: Extract<Step, { kind: 'evict' }>,
  situation: Situation,
  ports: MaintenancePorts,
  keep: (status: Status, afterMs: number, lastError?: string) => Promise<Advance>,
  signal: AbortSignal,
): Promise<Advance> {
  const { maintenance, surroundings = NOTHING } = situation;
  const blockedBy = await evictAll(pods, surroundings, ports, false, signal);
  const { status } = maintenance;
  const total = Math.max(status.drain?.total ?? 0, situation.pods.length);
  const message = blockedBy.length > 0 ? blockedBy.map((one) => one.message).join('; ') : `evicting ${wave}`;
  const drain = { total, ...pendingPods(situation.pods) };
  return keep(
    { ...status, ...downNow(situation), phase: 'Draining', message, blockedBy, drain },
    blockedBy.length > 0 ? HELD_MS : SOON_MS,
    blockedBy.find(({ reason }) => reason === FAILED)?.message,
  );
}

const REASONS: Partial<Record<Status['phase'], string>> = {
  Running: 'MaintenanceStarted',
  Ready: 'MaintenanceReady',
  Succeeded: 'MaintenanceReady',
  Expired: 'MaintenanceExpired',
  Failed: 'MaintenanceFailed',
  Recovering: 'MaintenanceStopped',
};

/** An Event on the node and its clusters when it comes to another phase; without a status, when it is over. */
async function tellOf(
  { maintenance, node, surroundings, now }: Situation,
  status: Status | undefined,
  { record }: MaintenancePorts,
  signal: AbortSignal,
): Promise<void> {
  const { request, status: before } = maintenance;
  if (status?.phase === before.phase) return;
  const reason = status ? REASONS[status.phase] : 'MaintenanceEnded';
  if (!reason) return;
  const clusters = surroundings?.clusters ?? [];
  const why = [request.reason, request.requestedBy && `asked for by ${request.requestedBy}`].filter(Boolean);
  const what = status
    ? status.message || status.phase
    : (givenUp(maintenance, now) ?? 'nothing of it is left');
  const osds = listed(before.clusters.flatMap((one) => one.osds).map(osdName));
  const note = `maintenance of node ${request.node}${why.length > 0 ? ` (${why.join('; ')})` : ''}: ${what}${before.clusters.length > 0 ? `; ${osds}` : ''}`;
  const objects = [...(node ? [node.object] : []), ...clusters.map(({ object }) => object)];
  for (const object of objects) await record(object, reason, note, signal);
}
