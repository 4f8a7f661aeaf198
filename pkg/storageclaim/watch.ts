import { WatchedKinds, type ReflectorPorts } from '#pkg/cache';
import { keyOf, Kinds, kindKey, refOf, type GroupKind, type ObjectKey, type ObjectRef } from '#pkg/object';
import { CLAIM, parseClaim, type Claim } from './claim.ts';
import { COMPOSITE, parseComposite, type Composite, type Part } from './composite.ts';
import { targetOf } from './template.ts';

/** A composite that is gone, with what it was composed of. */
export interface Departed {
  readonly uid: string;
  readonly parts: readonly Part[];
  readonly sinceMs: number;
}

/** Follows composites, claims and the objects that they name; says whose turn it is when something matters. */
export class StorageWatch {
  readonly #composites: WatchedKinds<Composite>;
  readonly #claims: WatchedKinds<Claim>;
  readonly #named: WatchedKinds<ObjectRef>;
  readonly #turn: (ref: ObjectRef) => void;
  readonly #departed = new Map<ObjectKey, Departed>();
  /** Who wants to know of an object. */
  #interested = new Map<ObjectKey, ObjectRef[]>();

  constructor(ports: ReflectorPorts, turn: (ref: ObjectRef) => void) {
    this.#turn = turn;
    const whole = { detail: 'object', indexes: {} } as const;
    this.#composites = new WatchedKinds(ports, (kind) => ({ kind, ...whole, project: parseComposite }));
    this.#claims = new WatchedKinds(ports, (kind) => ({ kind, ...whole, project: parseClaim }));
    this.#named = new WatchedKinds(ports, (kind) => ({
      kind,
      detail: 'metadata',
      indexes: {},
      project: refOf,
    }));
    this.#composites.listen({
      changed: (_kind, { old, new: now, isForgotten }) => {
        if (old && !now && !isForgotten && old.parts.length > 0) {
          const { uid, parts, ref } = old;
          this.#departed.set(keyOf(ref), { uid, parts, sinceMs: ports.clock.now() });
        }
        this.#follow();
        const composite = now ?? old;
        if (!composite) return;
        this.#turn(composite.ref);
        for (const claim of this.#allClaims())
          if (claim.compositeName === composite.ref.name) this.#turn(claim.ref);
      },
    });
    this.#claims.listen({
      changed: (_kind, { old, new: now }) => {
        this.#follow();
        const claim = now ?? old;
        if (claim) this.#turn(claim.ref);
      },
    });
    this.#named.listen({
      changed: (_kind, { key }) => {
        for (const ref of this.#interested.get(key) ?? []) this.#turn(ref);
      },
      stateChanged: (kind) => this.#wakeKind(kind),
    });
    this.#composites.want('storage', [COMPOSITE]);
    this.#claims.want('storage', [CLAIM]);
  }

  get isSynced(): boolean {
    return [this.#composites.state(COMPOSITE), this.#claims.state(CLAIM)].every(
      (state) => state?.kind === 'synced',
    );
  }

  /** When any watch was last heard of. */
  get heardAtMs(): number | undefined {
    const heard = [...this.#composites.health(), ...this.#claims.health()].flatMap(
      ({ health }) => health.heardAtMs ?? [],
    );
    return heard.length > 0 ? Math.min(...heard) : undefined;
  }

  readonly departed = {
    get: (ref: ObjectRef): Departed | undefined => this.#departed.get(keyOf(ref)),
    forget: (ref: ObjectRef): void => {
      this.#departed.delete(keyOf(ref));
      this.#follow();
    },
  };

  /** Everything gets a turn: for a leader that has just become one. */
  turnAll(): void {
    for (const { ref } of this.#allComposites()) this.#turn(ref);
    for (const { ref } of this.#allClaims()) this.#turn(ref);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#composites.run(signal), this.#claims.run(signal), this.#named.run(signal)]);
  }

  #allComposites(): Iterable<Composite> {
    return this.#composites.store(COMPOSITE)?.values() ?? [];
  }

  #allClaims(): Iterable<Claim> {
    return this.#claims.store(CLAIM)?.values() ?? [];
  }

  #follow(): void {
    const interested = new Map<ObjectKey, ObjectRef[]>();
    const kinds = new Map<string, GroupKind>();
    const add = (object: ObjectRef, who: ObjectRef): void => {
      kinds.set(kindKey(object), object);
      const known = interested.get(keyOf(object));
      if (known) known.push(who);
      else interested.set(keyOf(object), [who]);
    };
    for (const composite of this.#allComposites()) followComposite(composite, add);
    for (const { remaining, ref } of this.#allClaims()) for (const part of remaining) add(part.ref, ref);
    for (const [key, { parts }] of this.#departed) {
      const [, , , name = ''] = key.split('/');
      for (const part of parts) add(part.ref, { group: COMPOSITE.group, kind: COMPOSITE.kind, name });
    }
    this.#interested = interested;
    this.#named.want('storage', kinds.values());
  }

  #wakeKind(kind: GroupKind): void {
    for (const [key, refs] of this.#interested) {
      if (key.startsWith(`${kindKey(kind)}/`)) for (const ref of refs) this.#turn(ref);
    }
  }
}

function followComposite(composite: Composite, add: (object: ObjectRef, who: ObjectRef) => void): void {
  const { claimRef, connectionSecret, parts, ref, templates } = composite;
  const targets = templates
    .map((template) => targetOf(template, ref))
    .filter(({ kind, name }) => kind && name);
  const all = new Map([...targets, ...parts.map((part) => part.ref)].map((part) => [keyOf(part), part]));
  for (const part of all.values()) add(part, ref);
  if (!claimRef || !connectionSecret) return;
  const claim = { group: CLAIM.group, kind: CLAIM.kind, namespace: claimRef.namespace, name: claimRef.name };
  const { group, kind } = Kinds.Secret;
  add({ group, kind, ...connectionSecret }, claim);
  add({ group, kind, namespace: claimRef.namespace, name: `${claimRef.name}-connection` }, claim);
}
