import { WatchedKinds, type ReflectorPorts } from '#pkg/cache';
import { isTerminating, kindKey, refOf, type GroupKind, type KubeObject, type ObjectRef } from '#pkg/object';
import { isMarked } from './marks.ts';
import { kindOf } from './target.ts';
import { CLUSTER_USAGE, parseUsage, USAGE, type Side, type Usage } from './usage.ts';

/** What matters of an object that a usage names. */
interface Named {
  readonly ref: ObjectRef;
  readonly uid: string | undefined;
  readonly isTerminating: boolean;
  readonly isMarked: boolean;
}

/** Follows the usages, and the objects of every kind that they name; says whose turn it is when something matters. */
export class UsageWatch {
  readonly #usages: WatchedKinds<Usage>;
  readonly #named: WatchedKinds<Named>;
  readonly #turn: (usage: ObjectRef) => void;

  constructor(ports: ReflectorPorts, turn: (usage: ObjectRef) => void) {
    this.#turn = turn;
    this.#usages = new WatchedKinds(ports, (kind) => ({
      kind,
      detail: 'object',
      project: parseUsage,
      indexes: {},
    }));
    this.#named = new WatchedKinds(ports, (kind) => ({
      kind,
      detail: 'metadata',
      project: namedOf,
      indexes: {},
    }));
    this.#usages.listen({
      changed: (_kind, change) => {
        this.#follow();
        const usage = change.new ?? change.old;
        if (usage) this.#turn(usage.ref);
      },
    });
    this.#named.listen({
      changed: (_kind, { old, new: now }) => {
        if (!old || !now || differ(old, now)) this.#wake(now ?? old);
      },
      stateChanged: (kind) => this.#wakeKind(kind),
    });
    this.#usages.want('usages', [USAGE, CLUSTER_USAGE]);
  }

  /** From the cache, so perhaps a moment late. */
  *usages(): Iterable<Usage> {
    for (const kind of [USAGE, CLUSTER_USAGE]) yield* this.#usages.store(kind)?.values() ?? [];
  }

  get isSynced(): boolean {
    return [USAGE, CLUSTER_USAGE].every((kind) => this.#usages.state(kind)?.kind === 'synced');
  }

  health(): ReturnType<WatchedKinds<Usage>['health']> {
    return this.#usages.health();
  }

  /** Every usage gets a turn: for a leader that has just become one. */
  turnAll(): void {
    for (const { ref } of this.usages()) this.#turn(ref);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#usages.run(signal), this.#named.run(signal)]);
  }

  #follow(): void {
    const kinds = new Map<string, GroupKind>();
    for (const usage of this.usages()) {
      for (const side of sidesOf(usage)) kinds.set(kindKey(kindOf(side)), kindOf(side));
    }
    this.#named.want('usages', kinds.values());
  }

  #wake(object: Named | undefined): void {
    if (!object) return;
    for (const usage of this.usages()) {
      if (sidesOf(usage).some((side) => concerns(side, object.ref))) this.#turn(usage.ref);
    }
  }

  #wakeKind(kind: GroupKind): void {
    for (const usage of this.usages()) {
      if (sidesOf(usage).some((side) => kindKey(kindOf(side)) === kindKey(kind))) this.#turn(usage.ref);
    }
  }
}

function sidesOf({ of, by }: Usage): readonly Side[] {
  return by ? [of, by] : [of];
}

/** A side without a name waits for any object of its kind. */
function concerns(side: Side, ref: ObjectRef): boolean {
  return kindKey(kindOf(side)) === kindKey(ref) && (side.name === undefined || side.name === ref.name);
}

function namedOf(object: KubeObject): Named {
  return {
    ref: refOf(object),
    uid: object.metadata.uid,
    isTerminating: isTerminating(object),
    isMarked: isMarked(object),
  };
}

function differ(a: Named, b: Named): boolean {
  return a.uid !== b.uid || a.isTerminating !== b.isTerminating || a.isMarked !== b.isMarked;
}
