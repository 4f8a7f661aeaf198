import type { Ceph, Quorum } from '#pkg/ceph';
import {
  drainSettings,
  orSilence,
  requestedDomain,
  viewOsds,
  type CephView,
  type Health,
  type OsdFacts,
} from '#pkg/drain';
import { isTerminating, isTrueAt, keyOf, Kinds, refOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { lookAgain, waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { osdBudgets, ownerOf, type BudgetOwner } from './budgets.ts';
import { cleanliness } from './cleanliness.ts';
import { missingFrom, needsQuorum } from './daemon-budgets.ts';
import { daemonSteps } from './daemon-steps.ts';
import { decide, type Protection } from './decision.ts';
import { holdUnsafeDomain } from './domain-hold.ts';
import { foreignBudgets } from './foreign.ts';
import { handOver, withdraw } from './hand-over.ts';
import { Memory, SLOW_MS } from './memory.ts';
import { nooutSteps } from './noout.ts';
import { observe, osdBudgetsIn, type Observation } from './observation.ts';
import type { DisruptionPorts } from './ports.ts';
import { Questions } from './questions.ts';
import { tellOfDrain, tellOfHold, tellOfNoout } from './tidings.ts';
import { transition } from './transition.ts';
import { StateKeeper, takeNooutSteps, takeSteps } from './writes.ts';

/** Keeps the budgets and noout of one CephCluster as its OSDs and nodes need them. */
export function disruptionReconciler(ports: DisruptionPorts): Reconciler<ObjectRef> {
  const memories = new Map<string, Memory>();
  return {
    async reconcile(ref, signal) {
      const cluster = await ports.reader.get(Kinds.CephCluster, ref.namespace, ref.name, signal);
      if (!cluster || isTrueAt(cluster, 'spec', 'external', 'enable')) return waitForChange;
      if (drainSettings(cluster).isRooks) {
        await leaveToRook(cluster, await observe(ref.namespace, ports.reader, signal), ports, signal);
        return waitForChange;
      }
      if (isTerminating(cluster) && (await hasEnded(cluster, ports, signal))) return waitForChange;
      const key = cluster.metadata.uid ?? '';
      const memory = memories.get(key) ?? new Memory();
      memories.set(key, memory);
      return look(cluster, ports, memory, signal);
    },
  };
}

/** The deletion of a cluster may be held for days, and its OSDs serve as long as they are there. */
async function hasEnded(
  cluster: KubeObject,
  { reader, cephOf, writer }: DisruptionPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const seen = await observe(cluster.metadata.namespace, reader, signal);
  if (seen.deployments.length > 0) return false;
  await withdraw(seen, ownerOf(cluster), cephOf(cluster), writer, signal);
  return true;
}

/**
 * How the groups are is asked first, because that may take long, then Kubernetes is read, and who is down is asked last: an
 * OSD that goes meanwhile must not look like copies missing without a reason, nor one that comes be without a budget.
 */
async function look(
  cluster: KubeObject,
  ports: DisruptionPorts,
  memory: Memory,
  signal: AbortSignal,
): Promise<Outcome> {
  const questions = new Questions(cluster, ports, memory);
  const first = await questions.view(signal);
  const groups = first && (await questions.health(signal));
  const seen = await observe(cluster.metadata.namespace, ports.reader, signal);
  const view = first && ((await questions.view(signal)) ?? first);
  return new Round(cluster, seen, questions, ports, memory).run(view, view && groups, signal);
}

/** Rook makes the budgets: what we have made goes, and whoever reads the Events knows who does it now. */
async function leaveToRook(
  cluster: KubeObject,
  seen: Observation,
  { cephOf, writer, record, logger }: DisruptionPorts,
  signal: AbortSignal,
): Promise<void> {
  const hadSome = await handOver(seen, ownerOf(cluster), cephOf(cluster), writer, signal);
  logger.info('Rook makes the budgets', { object: keyOf(refOf(cluster)) });
  if (hadSome) await record(cluster, 'BudgetsLeftToRook', LEFT_TO_ROOK, signal);
}

const LEFT_TO_ROOK =
  'managePodBudgets is true: Rook makes the budgets of the OSDs and sets noout; rook-deps makes none';

/** What follows from one look at one cluster. */
class Round {
  readonly #cluster: KubeObject;
  readonly #seen: Observation;
  readonly #owner: BudgetOwner;
  readonly #questions: Questions;
  readonly #ports: DisruptionPorts;
  readonly #keeper: StateKeeper;
  readonly #memory: Memory;

  constructor(
    cluster: KubeObject,
    seen: Observation,
    questions: Questions,
    ports: DisruptionPorts,
    memory: Memory,
  ) {
    this.#memory = memory;
    this.#cluster = cluster;
    this.#seen = seen;
    this.#owner = ownerOf(cluster);
    this.#questions = questions;
    this.#ports = ports;
    this.#keeper = new StateKeeper(seen.state, this.#owner, ports.writer);
  }

  async run(view: CephView | undefined, health: Health | undefined, signal: AbortSignal): Promise<Outcome> {
    const { state, services } = this.#seen;
    const { ceph, silence } = this.#questions;
    const type = view?.layout.type ?? state.type ?? requestedDomain(services);
    const osds = await viewOsds(type, this.#seen, ceph, view, silence, signal);
    const decided = decide({ osds, cleanliness: cleanliness(osds, health), draining: state.draining });
    const protection = holdUnsafeDomain(decided, osds, health, this.#seen, this.#owner);
    await this.#protect(protection, type, osds, health, signal);
    await this.#keepData(protection, view, signal);
    const quorum = await this.#protectDaemons(view ? ceph : undefined, signal);
    return this.#next(protection, osds, health, quorum);
  }

  /** What is decided is remembered first: whoever comes after a crash goes on from there. */
  async #protect(
    protection: Protection,
    type: string,
    osds: readonly OsdFacts[],
    health: Health | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const before = this.#keeper.state;
    const draining = protection.kind === 'blocking' ? { draining: protection.draining } : {};
    await this.#keeper.keep({ type, ...draining, noout: before.noout }, signal);
    const foreign = foreignBudgets(this.#seen, this.#owner);
    const wanted = osdBudgets(protection, type, osds, this.#owner, foreign.osds).filter(
      ({ metadata }) => !foreign.names.has(metadata.name),
    );
    await takeSteps(
      transition(osdBudgetsIn(this.#seen.budgets, this.#owner), wanted),
      this.#ports.writer,
      signal,
    );
    if (this.#memory.isNews(foreign.note))
      await this.#ports.record(this.#cluster, 'BudgetsOfOthers', foreign.note, signal);
    const news = { before: before.draining, protection, type, osds, health };
    const { record } = this.#ports;
    await tellOfDrain(news, this.#cluster, this.#seen, record, signal);
    const { held } = this.#memory;
    this.#memory.held = await tellOfHold(news, held, this.#cluster, this.#seen, record, signal);
  }

  async #keepData(protection: Protection, view: CephView | undefined, signal: AbortSignal): Promise<void> {
    const { ceph } = this.#questions;
    if (!ceph || !view) return;
    const isWanted = protection.kind === 'blocking' && protection.isPlanned && protection.draining !== '';
    const steps = nooutSteps({
      wanted: isWanted ? protection.draining : undefined,
      records: this.#keeper.state.noout,
      osdMap: view.osdMap,
      buckets: view.layout.buckets,
      now: this.#ports.clock.now(),
      timeoutMs: drainSettings(this.#cluster).timeoutMs,
    });
    await takeNooutSteps(steps, ceph, this.#keeper, signal);
    await tellOfNoout(steps, this.#cluster, this.#ports.record, signal);
  }

  async #protectDaemons(ceph: Ceph | undefined, signal: AbortSignal): Promise<Quorum | undefined> {
    const asked = needsQuorum(this.#cluster) ? ceph : undefined;
    const quorum = asked && (await orSilence(this.#questions.silence, () => asked.quorum(signal)));
    const steps = daemonSteps(this.#cluster, this.#seen, quorum, this.#owner);
    await takeSteps(steps, this.#ports.writer, signal);
    return quorum;
  }

  #next(
    protection: Protection,
    osds: readonly OsdFacts[],
    health: Health | undefined,
    quorum: Quorum | undefined,
  ): Outcome {
    const sign = JSON.stringify([protection, osds, health?.words, this.#keeper.state.noout]);
    const waitMs = this.#memory.waitMs(sign);
    if (protection.kind === 'blocking') return lookAgain(waitMs);
    const lacksMonitor = quorum !== undefined && missingFrom(quorum) > 0;
    const isUnsettled = protection.excluded.length > 0 || !health || lacksMonitor;
    return isUnsettled ? lookAgain(SLOW_MS) : waitForChange;
  }
}
