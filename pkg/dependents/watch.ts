import { setImmediate as nextTurn } from 'node:timers/promises';
import { FORCE_DELETE_ANNOTATION } from '#pkg/admission';
import { WatchedKinds, type KindSpec, type ReflectorPorts } from '#pkg/cache';
import { compareEdges, smallest, type Edge } from '#pkg/graph';
import {
  isRookKind,
  isTerminating,
  keyOf,
  kindKey,
  Kinds,
  refOf,
  ROOK_KINDS,
  sameKind,
  textAt,
  type GroupKind,
  type KindKey,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
} from '#pkg/object';
import { DependencyIndex, essentialsOf, needsOfVerdict, type Need } from '#pkg/rules';
import { destructionAsked } from '#pkg/verdict';
import { MAX_BLOCKERS, NOTHING, type Finding } from './finding.ts';

/** What is kept of an object. */
export interface Kept {
  /** No more than rules read. */
  readonly object: KubeObject;
  readonly finalizers: readonly string[];
  /** Somebody means to delete it in spite of all. */
  readonly isForced: boolean;
}

/** Objects that are brought into the index at a time: the webhook answers in between. */
const SLICE = 200;

/** All that can hold a resource of Rook's. Usages are followed by others, and Secrets by nobody. */
const NEEDS: ReadonlyMap<KindKey, Need> = new Map(
  needsOfVerdict(ROOK_KINDS)
    .filter(({ kind }) => kind.group !== Kinds.Usage.group && !sameKind(kind, Kinds.Secret))
    .map((need) => [kindKey(need.kind), need]),
);

/** Follows Rook's resources and all that can depend on them. What it finds may be a moment late. */
export class DependentsWatch {
  readonly #kinds: WatchedKinds<Kept>;
  readonly #index = new DependencyIndex();
  /** Changes that are not in the index yet; undefined: gone. */
  readonly #pending = new Map<ObjectKey, { readonly ref: ObjectRef; readonly object?: KubeObject }>();
  #ring: () => void = () => undefined;
  #isIndexed = false;

  /** `touched` hears of a resource of Rook's whenever it, or what holds it, may have changed. */
  constructor(ports: ReflectorPorts, touched: (resource: ObjectRef) => void) {
    this.#kinds = new WatchedKinds(ports, specOf);
    this.#index.onEdges((provider) => {
      if (isRookKind(provider)) touched(provider);
    });
    this.#kinds.listen({
      changed: (_kind, { old, new: now }) => {
        const object = now?.object ?? old?.object;
        if (!object) return;
        const ref = refOf(object);
        if (!now || !old || !isSame(old.object, now.object)) this.#take(ref, now?.object);
        if (isRookKind(ref)) touched(ref);
      },
      // Only when all are seen can one say that nothing holds a resource.
      stateChanged: () => {
        for (const { object } of this.resources()) touched(refOf(object));
      },
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

  isHeld(resource: KubeObject): boolean {
    if (this.#isDestroyed(resource)) return false;
    for (const { blocks } of this.#edgesTo(resource)) if (blocks) return true;
    return false;
  }

  /** What holds a resource; gaps are not known here. */
  held(resource: KubeObject, limit = MAX_BLOCKERS): Finding {
    if (this.#isDestroyed(resource)) return NOTHING;
    const edges = blockersOf(this.#edgesTo(resource));
    const counts: Record<string, number> = {};
    for (const { dependent } of edges) counts[dependent.kind] = (counts[dependent.kind] ?? 0) + 1;
    const first = smallest(edges, limit, compareEdges);
    return { blockers: first.map(({ dependent, code }) => ({ ...dependent, code })), counts, gaps: [] };
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
    return (
      this.#isIndexed && this.#pending.size === 0 && this.#kinds.kinds().every((kind) => this.#isKnown(kind))
    );
  }

  health(): ReturnType<WatchedKinds<Kept>['health']> {
    return this.#kinds.health();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#kinds.run(signal), this.#keepIndex(signal)]);
  }

  /** Brings changes into the index, slice by slice. */
  async #keepIndex(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#ring(), { once: true });
    while (!signal.aborted) {
      const { promise: news, resolve } = Promise.withResolvers<void>();
      this.#ring = resolve;
      const isFiled = this.#fileSome();
      this.#isIndexed = this.#index.resolve(SLICE) && isFiled;
      await (this.#isIndexed ? news : nextTurn());
    }
  }

  #fileSome(): boolean {
    let left = SLICE;
    for (const [key, { ref, object }] of this.#pending) {
      if (left-- <= 0) return false;
      this.#pending.delete(key);
      if (object) this.#index.file(object);
      else this.#index.unfile(ref);
    }
    return true;
  }

  #take(ref: ObjectRef, object: KubeObject | undefined): void {
    this.#pending.set(keyOf(ref), { ref, ...(object ? { object } : {}) });
    this.#ring();
  }

  #edgesTo(resource: KubeObject): Iterable<Edge> {
    return this.#index.graph.unsortedAt(keyOf(refOf(resource)), 'dependents');
  }

  #isDestroyed(resource: KubeObject): boolean {
    const clusters = this.#kinds.store(Kinds.CephCluster)?.values() ?? [];
    const objects = [...clusters].map(({ object }) => object).filter(isTerminating);
    return destructionAsked(resource, objects) !== undefined;
  }

  #isKnown(kind: GroupKind): boolean {
    const state = this.#kinds.state(kind);
    return state?.kind === 'synced' || (state?.kind === 'not-served' && state.isCertain);
  }
}

function specOf(kind: GroupKind): KindSpec<Kept> {
  return { kind, detail: NEEDS.get(kindKey(kind))?.detail ?? 'object', project: keptOf, indexes: {} };
}

function keptOf(whole: KubeObject): Kept | undefined {
  const object = essentialsOf(whole);
  const finalizers = isRookKind(refOf(whole)) ? (whole.metadata.finalizers ?? []) : [];
  return object && { object, finalizers, isForced: isForced(whole) };
}

/** Whoever may annotate an object may take off its finalizers, too: believing the annotation gives no power. */
export function isForced({ metadata }: KubeObject): boolean {
  return textAt(metadata.annotations, FORCE_DELETE_ANNOTATION) !== undefined;
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** One edge for each dependent: the first of those that block. */
function blockersOf(edges: Iterable<Edge>): readonly Edge[] {
  const known = new Map<string, Edge>();
  for (const edge of edges) {
    if (!edge.blocks) continue;
    const { kind, namespace, name } = edge.dependent;
    const key = `${kind}/${namespace ?? ''}/${name}`;
    const other = known.get(key);
    if (!other || edge.code < other.code) known.set(key, edge);
  }
  return [...known.values()];
}
