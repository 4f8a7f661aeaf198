import { listed } from '#pkg/drain';
import { conflictsIn } from './conflicts.ts';
import { durationMs } from './maintenance.ts';
import { nooutOf, osdsOf, priorNoout, withNewcomers } from './newcomers.ts';
import { isItsTurn } from './one-by-one.ts';
import { WAVES, type DrainPod, type Wave } from './pods.ts';
import { nextRecovery } from './recovery.ts';
import type { ClusterFacts, NodeFacts, Situation, Surroundings } from './situation.ts';
import { isFutile, toleratingPods, waitingFor } from './staying-pods.ts';
import type { Obstacle, Status } from './status.ts';
import { downNow, held, nooutStep, pendingPods, settledAs, type Step } from './steps.ts';
import { osdName } from './words.ts';

export function nextStep(situation: Situation): Step {
  const { maintenance, node } = situation;
  if (maintenance.isStopping) return nextRecovery(situation);
  const { status } = maintenance;
  if (!status.prior) return beginning(situation);
  if (isExpired(situation)) return expiry(situation);
  if (!node || node.uid !== status.prior.nodeUid) return failure(situation);
  return changes(situation, node) ?? draining(situation, node);
}

/** Everything is looked at, and how it was is written down, before anything is changed. */
function beginning(situation: Situation): Step {
  const { maintenance, surroundings, node, pods, now } = situation;
  const { request, status } = maintenance;
  if (!node)
    return held(situation, 'Pending', [
      { reason: 'NodeNotFound', message: `nodes "${request.node}" not found` },
    ]);
  if (!surroundings) return { kind: 'inquire' };
  const conflicts = conflictsIn(situation, surroundings);
  if (conflicts.length > 0) return held(situation, 'Pending', conflicts.map(plain));
  const limit = request.duration === undefined ? undefined : durationMs(request.duration);
  const next: Status = {
    ...status,
    phase: 'Running',
    message: 'cordoning the node',
    prior: {
      recordedAt: new Date(now).toISOString(),
      nodeUid: node.uid,
      cordoned: node.isCordoned,
      noout: surroundings.clusters.flatMap(priorNoout),
      tolerating: toleratingPods(pods),
    },
    cordon: node.isCordoned ? undefined : 'setting',
    noout: surroundings.clusters.flatMap(nooutOf),
    clusters: surroundings.clusters.flatMap(osdsOf),
    drain: request.noDrain ? undefined : { total: pods.length, ...pendingPods(pods) },
    blockedBy: [],
    expiresAt: limit === undefined ? undefined : new Date(now + limit).toISOString(),
  };
  return { kind: 'tell', status: next, next: 'at-once' };
}

function plain({ reason, message }: Obstacle): Obstacle {
  return { reason, message };
}

/** The OSDs of a node that is gone may never come back: their data is not kept waiting for longer than Rook would. */
const GONE_MS = 30 * 60_000;

function failure(situation: Situation): Step {
  const what = situation.node ? 'another node has taken its name' : 'the node is gone';
  const { request, status } = situation.maintenance;
  const isOpen = status.noout.some(({ state }) => state !== 'off');
  const expiresAt =
    status.expiresAt ?? (isOpen ? new Date(situation.now + GONE_MS).toISOString() : undefined);
  const until = expiresAt === undefined ? '' : `; noout stays until ${expiresAt}`;
  const message = `${what}${until}; "kubectl rook-deps maintenance stop ${request.node}" ends the maintenance`;
  return { ...held(situation, 'Failed', [{ reason: 'NodeGone', message }], { expiresAt }), next: 'later' };
}

function isExpired({ maintenance: { status }, now }: Situation): boolean {
  return status.expiresAt !== undefined && Date.parse(status.expiresAt) <= now;
}

/** noout goes; the node stays as it is, because nobody but its keeper knows whether it may be used again. */
function expiry(situation: Situation): Step {
  const { maintenance, surroundings, node } = situation;
  const open = maintenance.status.noout.find(({ state }) => state !== 'off');
  if (open) {
    if (!surroundings) return { kind: 'inquire' };
    return nooutStep(situation, open, 'unset');
  }
  const rest = node ? 'and the node stays cordoned until it is stopped' : 'and the node is gone';
  const message = `its time was over at ${maintenance.status.expiresAt ?? ''}: noout is off, nothing more is evicted, ${rest}`;
  return settledAs(situation, 'Expired', message);
}

/** Cordon first: it is what others know a drain by. */
function changes(situation: Situation, node: NodeFacts): Step | undefined {
  const { maintenance, surroundings } = situation;
  const { status } = maintenance;
  if (status.cordon === 'setting') return { kind: 'cordon', node, state: 'set' };
  const open = status.noout.find(({ state }) => state === 'setting');
  if (open && !surroundings) return { kind: 'inquire' };
  if (open) return nooutStep(situation, open, 'set');
  if (node.isCordoned) return undefined;
  const message =
    'somebody has uncordoned the node; nothing more is evicted until it is cordoned again, or the maintenance stopped';
  // Pods may come to it: whatever was reached has to be seen again.
  return held(situation, maintenance.request.noDrain ? 'Running' : 'Draining', [
    { reason: 'Uncordoned', message },
  ]);
}

function draining(situation: Situation, node: NodeFacts): Step {
  const { maintenance, pods, attached, surroundings } = situation;
  const { status, request } = maintenance;
  if (request.noDrain)
    return settledAs(
      situation,
      'Succeeded',
      'cordoned, and noout is set; pods stay where they are, as was asked',
    );
  const wave = WAVES.find((one) => pods.some((pod) => pod.wave === one));
  // What detaches volumes runs on this node as well, perhaps: it goes after them.
  if (wave !== 'consumers' && attached.length > 0 && status.phase !== 'Ready')
    return held(situation, 'Draining', [
      {
        reason: 'VolumesAttached',
        message: `waiting for ${listed(attached)} to be detached from ${node.name}`,
      },
    ]);
  if (wave === undefined) return allGone(situation);
  const own = pods.filter((pod) => pod.wave === wave);
  const open = own.filter((pod) => !pod.isGoing && !pod.isBare && !isFutile(pod, status.prior));
  if (open.length === 0) return held(situation, 'Draining', waitingFor(own, situation));
  if (!surroundings) return { kind: 'inquire' };
  const conflicts = conflictsIn(situation, surroundings);
  const fresh = downNow(situation);
  if (conflicts.length > 0) return held(situation, 'Draining', conflicts.map(plain), fresh);
  return withNewcomers(situation, surroundings) ?? evicting(situation, surroundings, wave, open);
}

function evicting(
  situation: Situation,
  surroundings: Surroundings,
  wave: Wave,
  open: readonly DrainPod[],
): Step {
  const pods = open.filter((pod) => isItsTurn(pod, surroundings));
  if (pods.length > 0) return { kind: 'evict', wave, pods };
  const own = situation.pods.filter((pod) => pod.wave === wave);
  return held(situation, 'Draining', waitingFor(own, situation));
}

/** Without pods, and the OSDs down or on another node by Ceph's account. */
function allGone(situation: Situation): Step {
  const { maintenance, surroundings } = situation;
  if (maintenance.status.phase === 'Ready') return settledAs(situation, 'Ready', maintenance.status.message);
  if (maintenance.status.clusters.length > 0 && !surroundings) return { kind: 'inquire' };
  const fresh = downNow(situation);
  const clusters = surroundings?.clusters ?? [];
  const silent = clusters.flatMap(({ ceph, id }) =>
    ceph.kind === 'silent'
      ? [{ reason: 'CephSilent', message: `Ceph of ${id} does not answer: ${ceph.reason}` }]
      : [],
  );
  if (silent.length > 0) return held(situation, 'Draining', silent);
  const up = clusters.flatMap(stillUp);
  if (up.length > 0)
    return held(
      situation,
      'Draining',
      [{ reason: 'OsdUp', message: `waiting for ${listed(up.map(osdName))} to be down` }],
      fresh,
    );
  return settledAs(situation, 'Ready', 'drained: the node can be powered off', fresh);
}

function stillUp({ ceph, own, elsewhere }: ClusterFacts): readonly number[] {
  if (ceph.kind === 'silent') return [];
  const isHere = (id: number): boolean => own.includes(id) && !elsewhere.includes(id);
  return ceph.osdMap.osds.filter(({ id, isUp }) => isUp && isHere(id)).map(({ id }) => id);
}
