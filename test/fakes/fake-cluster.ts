import {
  fieldAt,
  isRecord,
  keyOf,
  kindKey,
  KNOWN_TYPES,
  refOf,
  ResourceTypes,
  type Change,
  type DeleteOptions,
  type KubeObject,
  type Listing,
  type ListRequest,
  type ObjectKey,
  type ObjectRef,
  type ResourceType,
  type Writer,
} from '#pkg/object';

type Plain = Record<string, unknown>;

/** One call that reached the cluster. */
export interface Call {
  readonly verb: 'get' | 'list' | 'patch' | 'delete' | 'create' | 'apply';
  readonly key: string;
  /** What is sent with it. */
  readonly body?: unknown;
  readonly isStatus?: boolean;
}

/** An answer of the server that is not 2xx. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message = reason) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

const MORE_TYPES: readonly ResourceType[] = [
  type('', 'v1', 'Namespace', 'namespaces'),
  type('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', 'customresourcedefinitions'),
  type('example.org', 'v1', 'Gadget', 'gadgets'),
];

function type(group: string, version: string, kind: string, plural: string): ResourceType {
  return { group, version, kind, plural, singular: kind.toLowerCase(), shortNames: [], namespaced: false };
}

/** Objects that are changed as an API server changes them: versions, UIDs, finalizers, the status apart. */
export class FakeCluster {
  types = new ResourceTypes([...KNOWN_TYPES, ...MORE_TYPES]);
  readonly calls: Call[] = [];
  readonly deletions: { readonly key: string; readonly options: DeleteOptions }[] = [];
  /** Called before each call is served; what it throws is the answer. */
  before: (call: Call) => void = () => undefined;
  readonly #objects = new Map<ObjectKey, KubeObject>();
  readonly #nowMs: () => number;
  #version = 0;

  constructor(nowMs: () => number, objects: readonly KubeObject[] = []) {
    this.#nowMs = nowMs;
    for (const object of objects) this.put(object);
  }

  /** Stores an object without a call; one of the same name is replaced. */
  put(object: KubeObject): KubeObject {
    const { metadata } = object;
    const uid = metadata.uid ?? `uid-of-${metadata.name}`;
    return this.#store({ ...object, metadata: { ...metadata, uid } });
  }

  /** Removes an object without a call, whatever its finalizers. */
  drop(ref: ObjectRef): void {
    this.#objects.delete(keyOf(ref));
  }

  at(ref: ObjectRef): KubeObject | undefined {
    return this.#objects.get(keyOf(ref));
  }

  /** All that is stored, without versions: for comparing ends. */
  state(): readonly unknown[] {
    return [...this.#objects.values()].map((object) => {
      const { resourceVersion: _, ...metadata } = object.metadata;
      return { ...object, metadata };
    });
  }

  get writes(): readonly Call[] {
    return this.calls.filter(({ verb }) => verb !== 'get' && verb !== 'list');
  }

  readonly get = async (ref: ObjectRef): Promise<KubeObject | undefined> => {
    this.#call({ verb: 'get', key: keyOf(ref) });
    return this.at(ref);
  };

  readonly list = async ({ kind, namespace }: ListRequest): Promise<Listing> => {
    this.#call({ verb: 'list', key: kindKey(kind) });
    const items = this.ofKind(kindKey(kind)).filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
    );
    return { items, gaps: [] };
  };

  ofKind(key: string): readonly KubeObject[] {
    return [...this.#objects.values()].filter((object) => kindKey(refOf(object)) === key);
  }

  readonly writer: Writer = {
    create: async (object) => {
      this.#call({ verb: 'create', key: keyOf(refOf(object)), body: object });
      return this.put(object);
    },
    patch: async (ref, change) => this.#patch(ref, change),
    delete: async (ref, options) => this.#delete(ref, options),
    apply: async (object) => this.#apply(object),
    createReview: () => Promise.reject(new Error('not faked')),
  };

  #patch(ref: ObjectRef, { subresource, body, dryRun }: Change): KubeObject | undefined {
    const isStatus = subresource === 'status';
    this.#call({ verb: 'patch', key: keyOf(ref), body, isStatus });
    const old = this.at(ref);
    if (!old) return undefined;
    const { uid, resourceVersion } = old.metadata;
    if ((fieldAt(body, 'metadata', 'uid') ?? uid) !== uid) throw new Refusal(409, 'Conflict', 'another UID');
    if ((fieldAt(body, 'metadata', 'resourceVersion') ?? resourceVersion) !== resourceVersion)
      throw new Refusal(409, 'Conflict', 'the object has been modified');
    const { status: newStatus, ...rest } = body as Plain;
    const changed = isStatus
      ? { ...old, status: merged(fieldAt(old, 'status'), newStatus) }
      : (merged(old, rest) as KubeObject);
    if (dryRun || JSON.stringify(changed) === JSON.stringify(old)) return old;
    return this.#store(changed);
  }

  /** Whoever applies first owns all of it: fields that are applied no more are not taken away. */
  #apply(object: KubeObject): KubeObject {
    this.#call({ verb: 'apply', key: keyOf(refOf(object)), body: object });
    const old = this.at(refOf(object));
    const { uid } = object.metadata;
    if (uid !== undefined && uid !== old?.metadata.uid) throw new Refusal(409, 'Conflict', 'another UID');
    if (!old) return this.put(object);
    const { resourceVersion } = old.metadata;
    if ((object.metadata.resourceVersion ?? resourceVersion) !== resourceVersion)
      throw new Refusal(409, 'Conflict', 'the object has been modified');
    const changed = merged(old, object) as KubeObject;
    return JSON.stringify(changed) === JSON.stringify(old) ? old : this.#store(changed);
  }

  #delete(ref: ObjectRef, options: DeleteOptions): 'deleted' | 'absent' {
    this.#call({ verb: 'delete', key: keyOf(ref), body: options });
    const old = this.at(ref);
    if (!old) return 'absent';
    if (options.uid !== undefined && options.uid !== old.metadata.uid)
      throw new Refusal(409, 'Conflict', 'another UID');
    if ((options.resourceVersion ?? old.metadata.resourceVersion) !== old.metadata.resourceVersion)
      throw new Refusal(409, 'Conflict', 'the object has been modified');
    if (options.dryRun) return 'deleted';
    this.deletions.push({ key: keyOf(ref), options });
    const deletionTimestamp = old.metadata.deletionTimestamp ?? new Date(this.#nowMs()).toISOString();
    this.#store({ ...old, metadata: { ...old.metadata, deletionTimestamp } });
    return 'deleted';
  }

  #store(object: KubeObject): KubeObject {
    const { metadata } = object;
    const stored = { ...object, metadata: { ...metadata, resourceVersion: String(++this.#version) } };
    const isGone = metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
    if (isGone) this.#objects.delete(keyOf(refOf(object)));
    else this.#objects.set(keyOf(refOf(object)), stored);
    return stored;
  }

  #call(call: Call): void {
    this.before(call);
    this.calls.push(call);
  }
}

/** JSON merge patch. */
function merged(old: unknown, change: unknown): unknown {
  if (!isRecord(change)) return change;
  const result: Plain = isRecord(old) ? { ...old } : {};
  for (const [name, value] of Object.entries(change)) {
    // Undefined does not travel in JSON.
    if (value === null) delete result[name];
    else if (value !== undefined) result[name] = merged(result[name], value);
  }
  return result;
}
