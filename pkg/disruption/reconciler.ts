import type { Ceph, Quorum } from '#pkg/ceph';
import {
  drainSettings,
  orSilence,
  requestedDomain,
  viewCeph,
  viewHealth,
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
      const seen = await observe(ref.namespace ?? '', ports.reader, signal);
      if (drainSettings(cluster).isRooks) {
        await leaveToRook(cluster, seen, ports, signal);
        return waitForChange;
      }
      // Its deletion may be held for days, and its OSDs serve as long as they are there.
      if (isTerminating(cluster) && seen.deployments.length === 0) {
        await withdraw(seen, ownerOf(cluster), ports.cephOf(cluster), ports.writer, signal);
        return waitForChange;
      }
      const key = cluster.metadata.uid ?? '';
      const memory = memories.get(key) ?? new Memory();
      memories.set(key, memory);
      return new Round(cluster, seen, ports, memory).run(signal);
    },
  };
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

/** One look at one cluster, and what follows from it. */
class Round {
  readonly #cluster: KubeObject;
  readonly #seen: Observation;
  readonly #owner: BudgetOwner;
  readonly #ceph: Ceph | undefined;
  readonly #ports: DisruptionPorts;
  readonly #keeper: StateKeeper;
  readonly #memory: Memory;

  constructor(cluster: KubeObject, seen: Observation, ports: DisruptionPorts, memory: Memory) {
    this.#memory = memory;
    this.#cluster = cluster;
    this.#seen = seen;
    this.#owner = ownerOf(cluster);
    this.#ceph = ports.cephOf(cluster);
    this.#ports = ports;
    this.#keeper = new StateKeeper(seen.state, this.#owner, ports.writer);
  }

  async run(signal: AbortSignal): Promise<Outcome> {
    const { state, services } = this.#seen;
    const first = await this.#view(signal);
    const groups = first && (await this.#health(signal));
    // Who is down is asked last: an OSD that goes meanwhile must not look like copies missing without a reason.
    const view = groups ? await this.#view(signal) : first;
    const health = view && groups;
    const type = view?.layout.type ?? state.type ?? requestedDomain(services);
    const osds = await viewOsds(type, this.#seen, this.#ceph, view, this.#silence, signal);
    const decided = decide({ osds, cleanliness: cleanliness(osds, health), draining: state.draining });
    const protection = holdUnsafeDomain(decided, osds, health, this.#seen, this.#owner);
    await this.#protect(protection, type, osds, health, signal);
    await this.#keepData(protection, view, signal);
    const quorum = await this.#protectDaemons(view ? this.#ceph : undefined, signal);
    return this.#next(protection, osds, health, quorum);
  }

  async #view(signal: AbortSignal): Promise<CephView | undefined> {
    const view = this.#ceph && (await viewCeph(this.#ceph, this.#memory.layout, this.#silence, signal));
    if (view) this.#memory.layout = view.layout;
    return view;
  }

  async #health(signal: AbortSignal): Promise<Health | undefined> {
    if (!this.#ceph) return undefined;
    const { healthy, trouble } = drainSettings(this.#cluster);
    if (trouble !== undefined) this.#ports.logger.error(trouble, {});
    return viewHealth(this.#ceph, healthy, this.#ports.clock, this.#silence, signal);
  }

  readonly #silence = (err: Error): void => this.#ports.logger.error('Ceph does not answer', { err });

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
    if (!this.#ceph || !view) return;
    const isWanted = protection.kind === 'blocking' && protection.isPlanned && protection.draining !== '';
    const steps = nooutSteps({
      wanted: isWanted ? protection.draining : undefined,
      records: this.#keeper.state.noout,
      osdMap: view.osdMap,
      buckets: view.layout.buckets,
      now: this.#ports.clock.now(),
      timeoutMs: drainSettings(this.#cluster).timeoutMs,
    });
    await takeNooutSteps(steps, this.#ceph, this.#keeper, signal);
    await tellOfNoout(steps, this.#cluster, this.#ports.record, signal);
  }

  async #protectDaemons(ceph: Ceph | undefined, signal: AbortSignal): Promise<Quorum | undefined> {
    const asked = needsQuorum(this.#cluster) ? ceph : undefined;
    const quorum = asked && (await orSilence(this.#silence, () => asked.quorum(signal)));
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
    const isUnsettled =
      protection.excluded.length > 0 || this.#keeper.state.noout.length > 0 || !health || lacksMonitor;
    return isUnsettled ? lookAgain(SLOW_MS) : waitForChange;
  }
}
