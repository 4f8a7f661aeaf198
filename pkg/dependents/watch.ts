import { FORCE_DELETE_ANNOTATION } from '#pkg/admission';
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
  textAt,
  type GroupKind,
  type KindKey,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
} from '#pkg/object';
import { essentialsOf, needsOfVerdict, type Need } from '#pkg/rules';
import { destructionAsked } from '#pkg/verdict';
import { findingOfEdges } from './blockers.ts';
import { NOTHING, type Finding } from './finding.ts';
import { LiveIndex } from './live-index.ts';

/** What is kept of an object. */
export interface Kept {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly resourceVersion: string;
  /** No more than rules read; absent when they read nothing. */
  readonly object?: KubeObject;
  readonly finalizers: readonly string[];
  /** Somebody means to delete it in spite of all. */
  readonly isForced: boolean;
}

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
  #found = { revision: -1, findings: new Map<ObjectKey, Finding>() };

  /** `touched` hears of a resource of Rook's whenever it, or what holds it, may have changed. */
  constructor(ports: ReflectorPorts, touched: (resource: ObjectRef) => void) {
    this.#kinds = new WatchedKinds(ports, specOf);
    this.#index = new LiveIndex((provider) => {
      if (isRookKind(provider)) touched(provider);
    });
    this.#kinds.listen({
      changed: (_kind, { old, new: now }) => {
        const ref = (now ?? old)?.ref;
        if (!ref) return;
        if (!isSame(old?.object, now?.object)) this.#index.take(ref, now?.object);
        if (isRookKind(ref)) touched(ref);
      },
      // Only when all are seen can one say that nothing holds a resource.
      stateChanged: () => {
        for (const { ref } of this.resources()) touched(ref);
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

  /** All that is kept of a kind, whatever its namespace. */
  ofKind(kind: GroupKind): {
    readonly size: number;
    get(key: ObjectKey): Kept | undefined;
    values(): Iterable<Kept>;
  } {
    return this.#kinds.store(kind) ?? new Map<ObjectKey, Kept>();
  }

  isHeld(resource: KubeObject): boolean {
    if (this.#isDestroyed(resource)) return false;
    for (const { blocks } of this.#index.edgesTo(refOf(resource))) if (blocks) return true;
    return false;
  }

  /** What holds a resource. */
  held(resource: KubeObject): Finding {
    if (this.#isDestroyed(resource)) return NOTHING;
    const { revision } = this.#index;
    if (this.#found.revision !== revision) this.#found = { revision, findings: new Map() };
    const key = keyOf(refOf(resource));
    const finding = this.#found.findings.get(key) ?? findingOfEdges(this.#index.edgesTo(refOf(resource)));
    this.#found.findings.set(key, finding);
    return finding;
  }

  /** The same, with what must depend on something and does not tell on what. */
  heldOrDoubted(resource: KubeObject): Finding {
    if (this.#isDestroyed(resource)) return NOTHING;
    const gaps = this.#index
      .doubtsAbout(refOf(resource))
      .map(({ object: { kind, namespace, name }, reason }) => ({
        what: `${kind} ${namespace ? `${namespace}/` : ''}${name}`,
        reason,
      }));
    return { ...this.held(resource), gaps };
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

  #isDestroyed(resource: KubeObject): boolean {
    const clusters = this.#kinds.store(Kinds.CephCluster)?.values() ?? [];
    const going = [...clusters].flatMap(({ object }) => (object && isTerminating(object) ? [object] : []));
    return destructionAsked(resource, going) !== undefined;
  }
}

function specOf(kind: GroupKind): KindSpec<Kept> {
  return { kind, detail: NEEDS.get(kindKey(kind))?.detail ?? 'object', project: keptOf, indexes: {} };
}

function keptOf(whole: KubeObject): Kept {
  const object = essentialsOf(whole);
  const ref = refOf(whole);
  const { uid = '', resourceVersion = '', finalizers = [] } = whole.metadata;
  return {
    ref,
    uid,
    resourceVersion,
    ...(object ? { object } : {}),
    finalizers: isRookKind(ref) ? finalizers : [],
    isForced: isForced(whole),
  };
}

/** Whoever may annotate an object may take off its finalizers, too: believing the annotation gives no power. */
export function isForced({ metadata }: KubeObject): boolean {
  return textAt(metadata.annotations, FORCE_DELETE_ANNOTATION) !== undefined;
}

function isSame(a: KubeObject | undefined, b: KubeObject | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
