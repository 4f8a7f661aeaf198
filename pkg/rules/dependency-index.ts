import { Graph, type Edge } from '#pkg/graph';
import {
  compareRefs,
  keyOf,
  refOf,
  sameKind,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
} from '#pkg/object';
import { Filing } from './filing.ts';
import { Topics, topicsOf, type Lookup, type Topic } from './lookup.ts';
import { resolution, type OpenDoubt } from './resolution.ts';
import type { Doubt, Rule } from './rule.ts';

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
  /** Whose edges rest on an answer that has changed since. */
  readonly #stale = new Set<ObjectKey>();
  readonly #listeners = new Set<(provider: ObjectRef) => void>();
  readonly #doubters = new Set<() => void>();
  /** The questions of the object that is being resolved. */
  #asking = new Set<Topic>();
  readonly #lookup = this.#newLookup();

  constructor(objects: Iterable<KubeObject> = []) {
    this.add(objects);
  }

  /** Adds or replaces objects, then resolves them and whatever their arrival changes for others. */
  add(objects: Iterable<KubeObject>): void {
    for (const object of objects) this.file(object);
    this.resolve();
  }

  remove(ref: ObjectRef): void {
    this.unfile(ref);
    this.resolve();
  }

  /** Adds or replaces an object; the edges follow with `resolve`. */
  file(object: KubeObject): void {
    const key = keyOf(refOf(object));
    this.#unfile(key);
    this.#objects.set(key, object);
    for (const topic of topicsOf(object)) {
      this.#filing.put(topic, key, object);
      this.#addAskers(topic);
    }
    this.#addAskers(Topics.object(key));
    this.#stale.add(key);
  }

  /** Removes an object; the edges follow with `resolve`. */
  unfile(ref: ObjectRef): void {
    const key = keyOf(ref);
    this.#unfile(key);
    this.#objects.delete(key);
    this.#stale.add(key);
  }

  /** Brings up to `limit` objects' edges up to date: those who must not be kept long do it in turns. True: all are. */
  resolve(limit = Infinity): boolean {
    let left = limit;
    for (const key of this.#stale) {
      if (left-- <= 0) return false;
      this.#stale.delete(key);
      this.#resolveOne(key);
    }
    return true;
  }

  /** Called with every object that an edge leads, or has led, to, when edges are brought up to date. */
  onEdges(listener: (provider: ObjectRef) => void): void {
    this.#listeners.add(listener);
  }

  /** Called when doubts come, change or go. */
  onDoubts(listener: () => void): void {
    this.#doubters.add(listener);
  }

  /** The edges that an object would have, were it there. */
  edgesOf(object: KubeObject): readonly Edge[] {
    this.#asking = new Set();
    return resolution(object, this.#lookup).edges;
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

  #unfile(key: ObjectKey): void {
    const old = this.#objects.get(key);
    if (!old) return;
    for (const topic of topicsOf(old)) {
      this.#filing.drop(topic, key);
      this.#addAskers(topic);
    }
    this.#addAskers(Topics.object(key));
  }

  #addAskers(topic: Topic): void {
    for (const asker of this.#askers.get(topic) ?? []) this.#stale.add(asker);
  }

  #resolveOne(key: ObjectKey): void {
    this.#forgetQuestions(key);
    const wasInDoubt = this.#doubts.delete(key);
    const object = this.#objects.get(key);
    const edges = object ? this.#resolve(key, object) : [];
    if (wasInDoubt || this.#doubts.has(key)) for (const doubter of this.#doubters) doubter();
    const before = this.graph.replace(key, edges);
    if (this.#listeners.size === 0) return;
    for (const { provider } of [...before, ...edges]) {
      for (const listener of this.#listeners) listener(provider);
    }
  }

  #resolve(key: ObjectKey, object: KubeObject): readonly Edge[] {
    this.#asking = new Set();
    const { edges, doubts } = resolution(object, this.#lookup);
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

function concerns(rule: Rule, { about }: Doubt, provider: ObjectRef): boolean {
  const isTarget = rule.targets === 'any' || rule.targets.some((kind) => sameKind(kind, provider));
  return isTarget && (about === undefined || about.some((kind) => sameKind(kind, provider)));
}
