import type { Ceph } from '#pkg/ceph';
import { STATE_NAME, type DrainState, type NooutRecord } from '#pkg/drain';
import { Kinds, refOf, type KubeObject, type Writer } from '#pkg/object';
import type { BudgetOwner } from './budgets.ts';
import type { NooutStep } from './noout.ts';
import { sameState, stateObject } from './state.ts';
import type { Step } from './transition.ts';

const FIELD_MANAGER = 'rook-deps-disruption';

export async function takeSteps(steps: readonly Step[], writer: Writer, signal: AbortSignal): Promise<void> {
  for (const { kind, budget } of steps) {
    if (kind === 'apply') await writer.apply(budget, { fieldManager: FIELD_MANAGER, force: true }, signal);
    else await writer.delete(refOf(budget), { uid: budget.metadata.uid }, signal);
  }
}

/** Keeps what must survive us, writing only what has changed. */
export class StateKeeper {
  readonly #owner: BudgetOwner;
  readonly #writer: Writer;
  #state: DrainState;

  constructor(state: DrainState, owner: BudgetOwner, writer: Writer) {
    this.#state = state;
    this.#owner = owner;
    this.#writer = writer;
  }

  get state(): DrainState {
    return this.#state;
  }

  async keep(state: DrainState, signal: AbortSignal): Promise<void> {
    if (sameState(state, this.#state)) return;
    const object = stateObject(state, this.#owner);
    await this.#writer.apply(object, { fieldManager: FIELD_MANAGER, force: true }, signal);
    this.#state = state;
  }

  remember(record: NooutRecord, signal: AbortSignal): Promise<void> {
    const others = this.#state.noout.filter(({ domain }) => domain !== record.domain);
    return this.keep({ ...this.#state, noout: [...others, record] }, signal);
  }

  forget(domain: string, signal: AbortSignal): Promise<void> {
    const noout = this.#state.noout.filter((record) => record.domain !== domain);
    return this.keep({ ...this.#state, noout }, signal);
  }

  async remove(signal: AbortSignal): Promise<void> {
    const { namespace } = this.#owner;
    await this.#writer.delete({ ...Kinds.ConfigMap, namespace, name: STATE_NAME }, {}, signal);
  }
}

export async function takeNooutSteps(
  steps: readonly NooutStep[],
  ceph: Ceph,
  keeper: StateKeeper,
  signal: AbortSignal,
): Promise<void> {
  for (const step of steps) {
    switch (step.kind) {
      case 'remember':
        await keeper.remember(step.record, signal);
        break;
      case 'forget':
        await keeper.forget(step.domain, signal);
        break;
      case 'set':
        await ceph.setNoout(step.domain, signal);
        break;
      case 'unset':
        await ceph.unsetNoout(step.domain, signal);
    }
  }
}

/**
 * Takes our marks off a budget that goes on under somebody else. It is made again if they have deleted it meanwhile, for they
 * may have relied on others that we have deleted since.
 */
export async function disown(budget: KubeObject, writer: Writer, signal: AbortSignal): Promise<void> {
  const { labels: _, ...metadata } = budget.metadata;
  await writer.apply({ ...budget, metadata }, { fieldManager: FIELD_MANAGER, force: true }, signal);
}
