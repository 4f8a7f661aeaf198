import type { Edge } from '#pkg/graph';
import { WatchedKinds, type KindSpec, type ReflectorPorts } from '#pkg/cache';
import {
  isRookKind,
  isTerminating,
  keyOf,
  kindKey,
  Kinds,
  refOf,
  ROOK_KINDS,
  sameKind,
  type Gap,
  type GroupKind,
  type KindKey,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
} from '#pkg/object';
import { needsOfVerdict, type Need } from '#pkg/rules';
import { destructionAsked, rookKindGaps, takenAlongBy, type TakenAlong } from '#pkg/verdict';
import { findingOfEdges, findingOfParts } from './blockers.ts';
import { NOTHING, type Finding } from './finding.ts';
import { keptOf, type AllKept, type Kept } from './kept.ts';
import { LiveIndex } from './live-index.ts';

/** All that can hold a resource of Rook's. Usages are followed by others, and Secrets by nobody. */
const NEEDS: ReadonlyMap<KindKey, Need> = new Map(
  needsOfVerdict(ROOK_KINDS)
    .filter(({ kind }) => kind.group !== Kinds.Usage.group && !sameKind(kind, Kinds.Secret))
    .map((need) => [kindKey(need.kind), need]),
);

/** Follows Rook's resources and all that can depend on them. What it finds may be a moment late. */
export class DependentsWatch {
  readonly #kinds: WatchedKinds<Kept>;
  readonly #index: LiveIndex;
  /** Those who are refused ask again and again, and thousands may depend on what they ask about. */
  #found = { revision: -1, findings: new Map<string, Finding>() };

  /** `touched` hears of a resource of Rook's whenever it, or what holds it, may have changed. */
  constructor(ports: ReflectorPorts, touched: (resource: ObjectRef) => void) {
    this.#kinds = new WatchedKinds(ports, specOf);
    const touchAll = (): void => {
      for (const { ref } of this.resources()) touched(ref);
    };
    this.#index = new LiveIndex((provider) => {
      if (isRookKind(provider)) touched(provider);
    }, touchAll);
    this.#kinds.listen({
      changed: (_kind, { old, new: now }) => {
        const ref = (now ?? old)?.ref;
        if (!ref) return;
        if (!isSame(old?.object, now?.object)) this.#index.take(ref, now?.object);
        if (isRookKind(ref)) touched(ref);
      },
      // Only when all are seen can one say that nothing holds a resource.
      stateChanged: touchAll,
    });
    this.#kinds.want(
      'dependents',
      [...NEEDS.values()].map(({ kind }) => kind),
    );
  }

  kept(ref: ObjectRef): Kept | undefined {
    return this.#kinds.store(ref)?.get(keyOf(ref));
  }

  *resources(): Iterable<Kept> {
    for (const kind of ROOK_KINDS) yield* this.#kinds.store(kind)?.values() ?? [];
  }

  /** All that is kept of a kind, whatever its namespace. */
  ofKind(kind: GroupKind): AllKept {
    return this.#kinds.store(kind) ?? new Map<ObjectKey, Kept>();
  }

  /** Whether its cluster is being deleted with all its data. */
  isDestroyed(resource: KubeObject): boolean {
    const clusters = this.#kinds.store(Kinds.CephCluster)?.values() ?? [];
    const going = [...clusters].flatMap(({ object }) => (object && isTerminating(object) ? [object] : []));
    return destructionAsked(resource, going) !== undefined;
  }

  isHeld(resource: KubeObject): boolean {
    if (this.isDestroyed(resource)) return false;
    for (const { blocks } of this.#index.edgesTo(refOf(resource))) if (blocks) return true;
    return false;
  }

  /** What holds a resource, or the resources that would go with a namespace or a definition. */
  held(subject: KubeObject): Finding {
    if (this.isDestroyed(subject)) return NOTHING;
    const { revision } = this.#index;
    if (this.#found.revision !== revision) this.#found = { revision, findings: new Map() };
    // A cluster that is to be destroyed takes others along until it is being deleted, and then waits for them.
    const key = `${takenAlongBy(subject) ? 'with ' : ''}${keyOf(refOf(subject))}`;
    const finding = this.#found.findings.get(key) ?? this.#find(subject);
    this.#found.findings.set(key, finding);
    return finding;
  }

  /** The same, with what must depend on something and does not tell on what. */
  heldOrDoubted(subject: KubeObject): Finding {
    if (this.isDestroyed(subject)) return NOTHING;
    const taken = takenAlongBy(subject);
    const resources = taken ? [...this.#thoseOf(taken)].map(({ ref }) => ref) : [refOf(subject)];
    const doubts = resources
      .flatMap((ref) => this.#index.doubtsAbout(ref))
      .filter(({ object }) => !taken?.goes(object));
    const gaps = doubts.map(({ object: { kind, namespace, name }, reason }) => ({
      what: `${kind} ${namespace ? `${namespace}/` : ''}${name}`,
      reason,
    }));
    return { ...this.held(subject), gaps: distinct([...gaps, ...rookKindGaps(subject)]) };
  }

  /** Whether anything that stays needs what is in a namespace, or may need it; as data in Ceph may. */
  holdsNamespace(name: string, mayHoldData: (resource: KubeObject) => boolean): boolean {
    const taken = takenAlongBy({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    if (!taken) return false;
    for (const { blocks } of this.#edgesFromOutside(taken)) if (blocks) return true;
    for (const { ref, object } of this.#thoseOf(taken)) {
      if (object && mayHoldData(object)) return true;
      if (this.#index.doubtsAbout(ref).some(({ object }) => !taken.goes(object))) return true;
    }
    return false;
  }

  /** What an object that is not there yet would hold. */
  providersOf(object: KubeObject): readonly ObjectRef[] {
    const edges = this.#index.edgesOf(object).filter(({ blocks }) => blocks);
    return [...new Map(edges.map(({ provider }) => [keyOf(provider), provider])).values()];
  }

  /** Whether every kind has been listed, or cannot be. */
  get hasLooked(): boolean {
    return this.#kinds.kinds().every((kind) => this.#kinds.state(kind)?.kind !== 'starting');
  }

  /** Whether all that exists is known: only then is what is not known not there. */
  get isComplete(): boolean {
    return this.isSettled && this.#kinds.kinds().every((kind) => this.isFollowed(kind));
  }

  /** Whether all that is kept is in the index. */
  get isSettled(): boolean {
    return this.#index.isSettled;
  }

  /** Whether the watch of a kind is sound. */
  isFollowed(kind: GroupKind): boolean {
    const state = this.#kinds.state(kind);
    return state?.kind === 'synced' || (state?.kind === 'not-served' && state.isCertain);
  }

  health(): ReturnType<WatchedKinds<Kept>['health']> {
    return this.#kinds.health();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#kinds.run(signal), this.#index.run(signal)]);
  }

  #find(subject: KubeObject): Finding {
    const taken = takenAlongBy(subject);
    return taken
      ? findingOfParts(this.#edgesFromOutside(taken))
      : findingOfEdges(this.#index.edgesTo(refOf(subject)));
  }

  /** Resources that go. Those under a cluster that is destroyed are nobody's concern. */
  *#thoseOf({ resources }: TakenAlong): Iterable<Kept> {
    for (const { kind, namespace } of resources) {
      for (const kept of this.#kinds.store(kind)?.values() ?? []) {
        const isMeant = namespace === undefined || kept.ref.namespace === namespace;
        if (isMeant && !(kept.object && this.isDestroyed(kept.object))) yield kept;
      }
    }
  }

  *#edgesFromOutside(taken: TakenAlong): Iterable<Edge> {
    for (const { ref } of this.#thoseOf(taken)) {
      for (const edge of this.#index.edgesTo(ref)) if (!taken.goes(edge.dependent)) yield edge;
    }
  }
}

function specOf(kind: GroupKind): KindSpec<Kept> {
  return { kind, detail: NEEDS.get(kindKey(kind))?.detail ?? 'object', project: keptOf, indexes: {} };
}

function distinct(gaps: readonly Gap[]): readonly Gap[] {
  return [...new Map(gaps.map((gap) => [`${gap.what} ${gap.reason}`, gap])).values()];
}

function isSame(a: KubeObject | undefined, b: KubeObject | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
