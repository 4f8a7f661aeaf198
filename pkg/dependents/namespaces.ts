import { WatchedKinds, type ReflectorPorts } from '#pkg/cache';
import { isTerminating, keyOf, type GroupKind, type KubeObject } from '#pkg/object';
import { hasMark, IN_USE_LABEL } from '#pkg/protection';

export const NAMESPACE: GroupKind = { group: '', kind: 'Namespace' };

interface Seen {
  readonly name: string;
  readonly isMarked: boolean;
  /** Kept whole while it is being deleted. */
  readonly going?: KubeObject;
}

/** Follows namespaces: which of them are marked, and which are being deleted. */
export class Namespaces {
  readonly #kinds: WatchedKinds<Seen>;

  constructor(ports: ReflectorPorts, touched: (namespace: string) => void) {
    this.#kinds = new WatchedKinds(ports, (kind) => ({
      kind,
      detail: 'metadata',
      project: seen,
      indexes: {},
    }));
    this.#kinds.listen({
      changed: (_kind, { new: namespace }) => {
        if (namespace) touched(namespace.name);
      },
    });
    this.#kinds.want('dependents', [NAMESPACE]);
  }

  /** One that is being deleted. */
  going(name: string): KubeObject | undefined {
    return this.#seen(name)?.going;
  }

  /** Undefined for one that is not there, or about to go: its mark makes no difference any more. */
  isMarked(name: string): boolean | undefined {
    const found = this.#seen(name);
    return found?.going ? undefined : found?.isMarked;
  }

  *names(): Iterable<string> {
    for (const { name } of this.#kinds.store(NAMESPACE)?.values() ?? []) yield name;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#kinds.run(signal);
  }

  #seen(name: string): Seen | undefined {
    return this.#kinds.store(NAMESPACE)?.get(keyOf({ ...NAMESPACE, name }));
  }
}

function seen(namespace: KubeObject): Seen {
  const isMarked = hasMark(namespace, IN_USE_LABEL);
  return {
    name: namespace.metadata.name,
    isMarked,
    ...(isTerminating(namespace) ? { going: namespace } : {}),
  };
}
