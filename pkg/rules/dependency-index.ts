import { Graph, type Edge } from '#pkg/graph';
import {
  compareRefs,
  keyOf,
  kindKey,
  refOf,
  sameKind,
  type KindKey,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
} from '#pkg/object';
import { RULES } from './catalogue.ts';
import { Filing } from './filing.ts';
import { Topics, topicsOf, type Lookup, type Topic } from './lookup.ts';
import type { Doubt, Reference, Rule } from './rule.ts';

/** An object that may depend on a provider, and why nobody can tell. */
export interface DoubtAbout {
  readonly object: ObjectRef;
  readonly reason: string;
}

/** Objects and the edges between them, kept right while objects come, change and go. */
export class DependencyIndex {
  readonly graph = new Graph();
  readonly #objects = new Map<ObjectKey, KubeObject>();
  readonly #filing = new Filing();
  /** Which objects' edges rest on the answer to a question. */
  readonly #askers = new Map<Topic, Set<ObjectKey>>();
  readonly #asked = new Map<ObjectKey, ReadonlySet<Topic>>();
  readonly #doubts = new Map<ObjectKey, readonly OpenDoubt[]>();
  /** The questions of the object that is being resolved. */
  #asking = new Set<Topic>();
  readonly #lookup = this.#newLookup();

  constructor(objects: Iterable<KubeObject> = []) {
    this.add(objects);
  }

  /** Adds or replaces objects, then resolves them and whatever their arrival changes for others. */
  add(objects: Iterable<KubeObject>): void {
    const stale = new Set<ObjectKey>();
    for (const object of objects) {
      const key = keyOf(refOf(object));
      this.#unfile(key, stale);
      this.#objects.set(key, object);
      for (const topic of topicsOf(object)) {
        this.#filing.put(topic, key, object);
        this.#addAskers(topic, stale);
      }
      this.#addAskers(Topics.object(key), stale);
      stale.add(key);
    }
    this.#resolveAll(stale);
  }

  remove(ref: ObjectRef): void {
    const key = keyOf(ref);
    const stale = new Set<ObjectKey>();
    this.#unfile(key, stale);
    this.#objects.delete(key);
    stale.add(key);
    this.#resolveAll(stale);
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#objects.get(keyOf(ref));
  }

  objects(): Iterable<KubeObject> {
    return this.#objects.values();
  }

  /** What may depend on this object without anybody knowing, in the order of references. */
  doubtsAbout(provider: ObjectRef): readonly DoubtAbout[] {
    const found = new Map<string, DoubtAbout>();
    this.#asking = new Set();
    for (const { rule, object, doubt } of [...this.#doubts.values()].flat()) {
      if (!concerns(rule, doubt, provider) || rule.lifts?.(provider, this.#lookup)) continue;
      found.set(`${keyOf(object)} ${doubt.doubt}`, { object, reason: doubt.doubt });
    }
    return [...found.values()].sort((a, b) => compareRefs(a.object, b.object));
  }

  #unfile(key: ObjectKey, stale: Set<ObjectKey>): void {
    const old = this.#objects.get(key);
    if (!old) return;
    for (const topic of topicsOf(old)) {
      this.#filing.drop(topic, key);
      this.#addAskers(topic, stale);
    }
    this.#addAskers(Topics.object(key), stale);
  }

  #addAskers(topic: Topic, stale: Set<ObjectKey>): void {
    for (const asker of this.#askers.get(topic) ?? []) stale.add(asker);
  }

  #resolveAll(keys: Iterable<ObjectKey>): void {
    for (const key of keys) {
      this.#forgetQuestions(key);
      this.#doubts.delete(key);
      const object = this.#objects.get(key);
      this.graph.replace(key, object ? this.#resolve(key, object) : []);
    }
  }

  #resolve(key: ObjectKey, object: KubeObject): readonly Edge[] {
    this.#asking = new Set();
    const ref = refOf(object);
    const edges: Edge[] = [];
    const doubts: OpenDoubt[] = [];
    for (const rule of rulesReading(ref)) {
      for (const mention of rule.references(object, this.#lookup)) {
        if ('doubt' in mention) doubts.push({ rule, object: ref, doubt: mention });
        else addEdge(edges, edgeOf(rule, ref, mention));
      }
    }
    if (doubts.length > 0) this.#doubts.set(key, doubts);
    if (this.#asking.size > 0) this.#asked.set(key, this.#asking);
    for (const topic of this.#asking) {
      const askers = this.#askers.get(topic);
      if (askers) askers.add(key);
      else this.#askers.set(topic, new Set([key]));
    }
    return edges;
  }

  #forgetQuestions(key: ObjectKey): void {
    for (const topic of this.#asked.get(key) ?? []) {
      const askers = this.#askers.get(topic);
      askers?.delete(key);
      if (askers?.size === 0) this.#askers.delete(topic);
    }
    this.#asked.delete(key);
  }

  #newLookup(): Lookup {
    const find = (topic: Topic): readonly KubeObject[] => {
      this.#asking.add(topic);
      return this.#filing.find(topic);
    };
    return {
      object: ({ group, kind }, namespace, name) => {
        const key = keyOf({ group, kind, namespace, name });
        this.#asking.add(Topics.object(key));
        return this.#objects.get(key);
      },
      ofKind: (kind, namespace) => find(Topics.ofKind(kind, namespace)),
      poolOwners: (namespace, pool) => find(Topics.poolOwners(namespace, pool)),
      bearersOfClusterId: (id) => find(Topics.clusterId(id)),
      volumesWithHandle: (handle) => find(Topics.volumeHandle(handle)),
      usersWithSecret: (namespace, name) => find(Topics.userSecret(namespace, name)),
      secretsOfStores: (name) => find(Topics.storeSecret(name)),
    };
  }
}

interface OpenDoubt {
  readonly rule: Rule;
  readonly object: ObjectRef;
  readonly doubt: Doubt;
}

function concerns(rule: Rule, { about }: Doubt, provider: ObjectRef): boolean {
  const isTarget = rule.targets === 'any' || rule.targets.some((kind) => sameKind(kind, provider));
  return isTarget && (about === undefined || about.some((kind) => sameKind(kind, provider)));
}

const ANY_KIND = RULES.filter((rule) => rule.reads === 'any');
const BY_KIND: ReadonlyMap<KindKey, readonly Rule[]> = new Map(
  RULES.flatMap((rule) => (rule.reads === 'any' ? [] : rule.reads)).map((kind) => [
    kindKey(kind),
    RULES.filter((rule) => rule.reads === 'any' || rule.reads.some((read) => sameKind(read, kind))),
  ]),
);

function rulesReading(ref: ObjectRef): readonly Rule[] {
  return BY_KIND.get(kindKey(ref)) ?? ANY_KIND;
}

/** One edge for each rule and pair: the first field names it, and one blocking mention is enough. */
function addEdge(edges: Edge[], edge: Edge): void {
  const at = edges.findIndex(
    ({ code, provider, dependent }) =>
      code === edge.code && isSame(provider, edge.provider) && isSame(dependent, edge.dependent),
  );
  const known = edges[at];
  if (!known) edges.push(edge);
  else if (edge.blocks && !known.blocks) edges[at] = edge;
}

function isSame(a: ObjectRef, b: ObjectRef): boolean {
  return a.name === b.name && sameKind(a, b) && (a.namespace ?? '') === (b.namespace ?? '');
}

function edgeOf(rule: Rule, read: ObjectRef, reference: Reference): Edge {
  return {
    dependent: reference.from ?? read,
    provider: reference.to,
    code: rule.code,
    relation: rule.relation,
    field: reference.field,
    detail: reference.detail,
    blocks: rule.blocks && reference.blocks !== false,
  };
}
