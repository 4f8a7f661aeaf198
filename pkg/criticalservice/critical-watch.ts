import { WatchedKinds, type ReflectorPorts } from '#pkg/cache';
import { kindKey, type GroupKind, type KindKey, type ObjectRef, type ResourceTypes } from '#pkg/object';
import { holderNames, standingOf } from './cached-criteria.ts';
import type { Standing } from './criteria.ts';
import {
  CRITICAL_SERVICE,
  parseCriticalService,
  type CriticalService,
  type Criterion,
} from './critical-service.ts';
import type { Known } from './current-holders.ts';
import { differ, FINALIZED, NAMED, type Finalized, type NamedState } from './projections.ts';
import { refTo, typeOf } from './resources.ts';
import { TypeFollower } from './type-follower.ts';
import { DEFINITIONS, whyUnseen } from './unserved.ts';

const NAMESPACE = { group: '', kind: 'Namespace' };

export interface CriticalWatchPorts extends ReflectorPorts {
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
}

/** `soon`: no decision depends on it, and more of the kind may follow. */
export type Turn = (service: ObjectRef, when: 'now' | 'soon') => void;

/** Follows the critical services and all that they name; says whose turn it is when something matters. */
export class CriticalWatch {
  readonly #services: WatchedKinds<CriticalService>;
  readonly #finalized: WatchedKinds<Finalized, 'finalizer'>;
  readonly #named: WatchedKinds<NamedState>;
  readonly #types: TypeFollower;
  readonly #turn: Turn;
  /** Whose turn it is when an object of a kind changes. */
  #concerned = new Map<KindKey, readonly ObjectRef[]>();
  /** By whom what is watched, as a text: a look that brings nothing new is nobody's turn. */
  #followed = '';

  constructor(ports: CriticalWatchPorts, turn: Turn) {
    this.#turn = turn;
    this.#types = new TypeFollower(ports, () => this.#follow());
    this.#services = new WatchedKinds(ports, (kind) => ({
      kind,
      detail: 'object',
      project: parseCriticalService,
      indexes: {},
    }));
    this.#finalized = new WatchedKinds(ports, (kind) => ({ kind, ...FINALIZED }));
    this.#named = new WatchedKinds(ports, (kind) => ({ kind, ...NAMED }));
    this.#listen();
    this.#services.want('services', [CRITICAL_SERVICE]);
  }

  /** From the cache, so perhaps a moment late. */
  services(): Iterable<CriticalService> {
    return this.#services.store(CRITICAL_SERVICE)?.values() ?? [];
  }

  get isSynced(): boolean {
    return this.#services.state(CRITICAL_SERVICE)?.kind === 'synced';
  }

  health(): ReturnType<WatchedKinds<CriticalService>['health']> {
    return this.#services.health();
  }

  /** Every service gets a turn: for a leader that has just become one. */
  turnAll(): void {
    for (const { ref } of this.services()) this.#turn(ref, 'now');
  }

  /** The provider, if it is there as far as is known. */
  provider({ provider }: CriticalService): ObjectRef | undefined {
    const ref = this.#types.current && refTo(provider, this.#types.current);
    return ref && this.#named.look(ref).kind === 'present' ? ref : undefined;
  }

  /** How a criterion stands, as far as is known. */
  standing(criterion: Criterion): Standing {
    const cache = { types: this.#types.current, finalized: this.#finalized, named: this.#named };
    return standingOf(criterion, cache);
  }

  /** For whoever brings it up to date. */
  known(kind: GroupKind, finalizer: string): Known | undefined {
    if (this.#finalized.state(kind)?.kind !== 'synced') return undefined;
    const watch = [...this.#finalized.health()].find((other) => kindKey(other.kind) === kindKey(kind));
    const resourceVersion = watch?.health.resourceVersion;
    const names = [...holderNames(kind, finalizer, this.#finalized)];
    return resourceVersion ? { resourceVersion, names } : undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    const parts = [this.#services, this.#finalized, this.#named, this.#types];
    await Promise.all(parts.map((part) => part.run(signal)));
  }

  #listen(): void {
    this.#services.listen({
      changed: (_kind, { old, new: now }) => {
        if (!old || !now || specOf(old) !== specOf(now)) this.#types.ask();
        const service = now ?? old;
        if (service) this.#turn(service.ref, 'now');
      },
    });
    this.#finalized.listen({
      changed: (kind, { old, new: now }) => this.#wake(kind, this.#isDecisive(kind, old, now)),
      stateChanged: (kind) => this.#wake(kind, true),
    });
    this.#named.listen({
      changed: (kind, { old, new: now }) => {
        if (kindKey(kind) === kindKey(DEFINITIONS) && !(old && now)) this.#types.ask();
        const state = now ?? old;
        if (state && (!old || !now || differ(old, now))) this.#wakeNamed(state.ref);
      },
      stateChanged: (kind) => {
        if (kindKey(kind) === kindKey(DEFINITIONS)) this.#types.ask();
        this.#wake(kind, true);
      },
    });
  }

  /** Starts watches for what services name now, and ends those for what none names any more. */
  #follow(): void {
    const types = this.#types.current;
    if (!types) return;
    const finalized: GroupKind[] = [];
    const named: GroupKind[] = [];
    const concerned = new Map<KindKey, ObjectRef[]>();
    const unserved: [string, string | undefined][] = [];
    for (const { ref, provider, criteria } of this.services()) {
      named.push(NAMESPACE, DEFINITIONS);
      for (const part of [provider, ...criteria]) {
        const kind = typeOf(part, types);
        if (!kind) unserved.push([part.resource, whyUnseen(part, types, this.#named)]);
        if (!kind) continue;
        // The whole type: its definition is asked for when it is no longer served.
        ('finalizerName' in part ? finalized : named).push(kind);
        concerned.set(kindKey(kind), [...(concerned.get(kindKey(kind)) ?? []), ref]);
      }
    }
    this.#concerned = concerned;
    this.#finalized.want('services', finalized);
    this.#named.want('services', named);
    const followed = JSON.stringify([[...concerned], unserved]);
    if (followed === this.#followed) return;
    this.#followed = followed;
    this.turnAll();
  }

  /** The first that comes and the last that goes decide; those between only count. */
  #isDecisive(kind: GroupKind, old: Finalized | undefined, now: Finalized | undefined): boolean {
    const store = this.#finalized.store(kind);
    const words = new Set([...(old ?? []), ...(now ?? [])]);
    return [...words].some((word) => (store?.countBy('finalizer', word) ?? 0) <= 1);
  }

  #wake(kind: GroupKind, isDecisive: boolean): void {
    for (const ref of this.#concerned.get(kindKey(kind)) ?? []) this.#turn(ref, isDecisive ? 'now' : 'soon');
  }

  #wakeNamed({ group, kind, namespace, name }: ObjectRef): void {
    const isNamespace = kindKey({ group, kind }) === kindKey(NAMESPACE);
    for (const { ref, provider, criteria } of this.services()) {
      const isMeant =
        (isNamespace && provider.namespace === name) ||
        [provider, ...criteria].some(
          (part) => 'name' in part && part.name === name && (part.namespace ?? namespace) === namespace,
        );
      if (isMeant) this.#turn(ref, 'now');
    }
  }
}

function specOf({ object }: CriticalService): string {
  return JSON.stringify(object['spec']);
}
