import { Graph, type Edge } from '#pkg/graph';
import { keyOf, kindKey, refOf, type KubeObject, type ObjectKey, type ObjectRef } from '#pkg/object';
import { RULES } from './catalogue.ts';
import { Topics, topicsOf, type Lookup, type Topic } from './lookup.ts';
import type { Reference, Rule } from './rule.ts';

/** Objects and the edges between them, kept right while objects come, change and go. */
export class DependencyIndex {
  readonly graph = new Graph();
  readonly #objects = new Map<ObjectKey, KubeObject>();
  readonly #filed = new Map<Topic, Map<ObjectKey, KubeObject>>();
  /** Which objects' edges rest on the answer to a question. */
  readonly #askers = new Map<Topic, Set<ObjectKey>>();
  readonly #asked = new Map<ObjectKey, ReadonlySet<Topic>>();

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
      for (const topic of topicsOf(object)) this.#file(topic, key, object, stale);
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

  #file(topic: Topic, key: ObjectKey, object: KubeObject, stale: Set<ObjectKey>): void {
    const filed = this.#filed.get(topic);
    if (filed) filed.set(key, object);
    else this.#filed.set(topic, new Map([[key, object]]));
    for (const asker of this.#askers.get(topic) ?? []) stale.add(asker);
  }

  #unfile(key: ObjectKey, stale: Set<ObjectKey>): void {
    const old = this.#objects.get(key);
    if (!old) return;
    for (const topic of topicsOf(old)) {
      const filed = this.#filed.get(topic);
      filed?.delete(key);
      if (filed?.size === 0) this.#filed.delete(topic);
      for (const asker of this.#askers.get(topic) ?? []) stale.add(asker);
    }
  }

  #resolveAll(keys: Iterable<ObjectKey>): void {
    for (const key of keys) {
      this.#forgetQuestions(key);
      const object = this.#objects.get(key);
      this.graph.replace(key, object ? this.#resolve(key, object) : []);
    }
  }

  #resolve(key: ObjectKey, object: KubeObject): readonly Edge[] {
    const asked = new Set<Topic>();
    const lookup = this.#lookup(asked);
    const edges = new Map<string, Edge>();
    for (const rule of rulesReading(object)) {
      for (const reference of rule.references(object, lookup)) {
        const edge = edgeOf(rule, refOf(object), reference);
        const id = `${keyOf(edge.dependent)} ${keyOf(edge.provider)} ${edge.code}`;
        const known = edges.get(id);
        // One edge for each rule and pair: the first field names it, and one blocking mention is enough.
        if (!known) edges.set(id, edge);
        else if (edge.blocks && !known.blocks) edges.set(id, edge);
      }
    }
    this.#asked.set(key, asked);
    for (const topic of asked) {
      const askers = this.#askers.get(topic);
      if (askers) askers.add(key);
      else this.#askers.set(topic, new Set([key]));
    }
    return [...edges.values()];
  }

  #forgetQuestions(key: ObjectKey): void {
    for (const topic of this.#asked.get(key) ?? []) {
      const askers = this.#askers.get(topic);
      askers?.delete(key);
      if (askers?.size === 0) this.#askers.delete(topic);
    }
    this.#asked.delete(key);
  }

  #lookup(asked: Set<Topic>): Lookup {
    const find = (topic: Topic): readonly KubeObject[] => {
      asked.add(topic);
      const found = this.#filed.get(topic);
      return found ? [...found.values()] : [];
    };
    return {
      object: (kind, namespace, name) => find(Topics.object(kind, namespace, name))[0],
      ofKind: (kind, namespace) => find(Topics.ofKind(kind, namespace)),
      poolOwners: (namespace, pool) => find(Topics.poolOwners(namespace, pool)),
      bearersOfClusterId: (id) => find(Topics.clusterId(id)),
      volumesWithHandle: (handle) => find(Topics.volumeHandle(handle)),
      usersWithSecret: (namespace, name) => find(Topics.userSecret(namespace, name)),
    };
  }
}

const ANY_KIND = RULES.filter((rule) => rule.reads === 'any');
const BY_KIND = Map.groupBy(
  RULES.flatMap((rule) =>
    rule.reads === 'any' ? [] : rule.reads.map((kind) => ({ kind: kindKey(kind), rule })),
  ),
  ({ kind }) => kind,
);

function rulesReading(object: KubeObject): readonly Rule[] {
  const ofKind = BY_KIND.get(kindKey(refOf(object)))?.map(({ rule }) => rule) ?? [];
  return [...ofKind, ...ANY_KIND];
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
