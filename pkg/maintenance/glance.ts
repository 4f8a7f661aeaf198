import { inquire, type InquiryPorts } from './inquiry.ts';
import type { Maintenance } from './maintenance.ts';
import { Observer } from './observe.ts';
import { nextStep } from './plan.ts';
import type { Situation } from './situation.ts';
import type { Status } from './status.ts';
import { downNow, pendingPods, type Step } from './steps.ts';

/** As long as Ceph may take for an answer, and a little more. */
const GLANCE_MS = 20_000;

/**
 * A maintenance as it is, whatever was written down when somebody last worked on it. Changes nothing, takes no longer than
 * Ceph does, and never fails: what cannot be seen is told.
 */
export async function glance(
  maintenance: Maintenance,
  { limitMs = GLANCE_MS, ...ports }: InquiryPorts & { readonly limitMs?: number },
  signal: AbortSignal,
): Promise<Maintenance> {
  const limit = AbortSignal.timeout(limitMs);
  const both = AbortSignal.any([signal, limit]);
  const why = (error: unknown): string => {
    signal.throwIfAborted();
    if (limit.aborted) return `no answer within ${limitMs / 1000} s`;
    return error instanceof Error ? error.message : String(error);
  };
  const { status } = maintenance;
  let seen: Situation | undefined;
  try {
    seen = await new Observer(ports.reader).look(doubted(maintenance), ports.clock.now(), both);
    const first = nextStep(withoutTerm(seen));
    if (first.kind !== 'inquire') return { ...maintenance, status: statusAt(first, seen, status) };
    const known = { ...seen, surroundings: await inquire(seen, ports, both) };
    return { ...maintenance, status: statusAt(nextStep(withoutTerm(known)), known, status) };
  } catch (error) {
    return { ...maintenance, status: unseen(status, seen, why(error)) };
  }
}

/** What was reached has to be seen again. */
function doubted(maintenance: Maintenance): Maintenance {
  const { status } = maintenance;
  return status.phase === 'Ready'
    ? { ...maintenance, status: { ...status, phase: 'Draining' } }
    : maintenance;
}

/** Of a node that is gone nobody takes noout off by itself while nobody is at work: no time is told for that. */
function withoutTerm(situation: Situation): Situation {
  const { maintenance, node } = situation;
  const { status } = maintenance;
  if (node?.uid === status.prior?.nodeUid || status.expiresAt !== undefined || maintenance.isStopping)
    return situation;
  return { ...situation, maintenance: { ...maintenance, status: { ...status, noout: [] } } };
}

function statusAt(step: Step, situation: Situation, written: Status): Status {
  const fresh = { ...written, ...downNow(situation) };
  if (step.kind === 'evict') return toEvict(situation, fresh);
  const isNews = step.kind === 'tell' && (step.next !== 'at-once' || written.phase === 'Recovering');
  if (!isNews) return toDo(situation.maintenance, fresh);
  const { status } = step;
  const isSilent =
    status.blockedBy.length > 0 && status.blockedBy.every(({ reason }) => reason === 'CephSilent');
  // Without a pod on a node that takes none, no OSD has come up: Ceph is not needed to know that.
  if (written.phase === 'Ready' && isSilent && situation.pods.length === 0)
    return { ...fresh, blockedBy: status.blockedBy };
  return { ...status, noout: written.noout };
}

/** What only has to be written down, or done, is not done yet. */
function toDo({ isStopping }: Maintenance, fresh: Status): Status {
  const next = { ...fresh, blockedBy: [] };
  if (isStopping && fresh.phase !== 'Recovering')
    return { ...next, phase: 'Recovering', message: 'stopped, and nothing is taken back yet' };
  return fresh.prior ? next : { ...next, message: 'nothing is in the way any more' };
}

/** What held the pods when that was last tried may still hold them. */
function toEvict({ pods }: Situation, fresh: Status): Status {
  const { drain, phase } = fresh;
  const total = Math.max(drain?.total ?? 0, pods.length);
  const next = { ...fresh, phase: 'Draining', drain: { total, ...pendingPods(pods) } } as const;
  return phase === 'Draining' ? next : { ...next, message: 'pods have to go', blockedBy: [] };
}

function unseen(written: Status, seen: Situation | undefined, reason: string): Status {
  const pods = seen?.pods ?? [];
  const isLost = written.phase === 'Ready' && pods.length > 0;
  return {
    ...written,
    phase: isLost ? 'Draining' : written.phase,
    drain: seen && written.drain ? { ...written.drain, ...pendingPods(pods) } : written.drain,
    blockedBy: [{ reason: 'Unseen', message: `how it is now could not be seen: ${reason}` }],
  };
}
