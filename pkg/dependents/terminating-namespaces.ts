import { WatchedKinds, type ReflectorPorts } from '#pkg/cache';
import { isTerminating, keyOf, type GroupKind, type KubeObject } from '#pkg/object';

export const NAMESPACE: GroupKind = { group: '', kind: 'Namespace' };

/** Follows the namespaces that are being deleted; of the others nothing is kept. */
export class TerminatingNamespaces {
  readonly #kinds: WatchedKinds<KubeObject>;

  constructor(ports: ReflectorPorts, touched: (namespace: string) => void) {
    this.#kinds = new WatchedKinds(ports, (kind) => ({
      kind,
      detail: 'metadata',
      project: (object) => (isTerminating(object) ? object : undefined),
      indexes: {},
    }));
    this.#kinds.listen({
      changed: (_kind, { new: namespace }) => {
        if (namespace) touched(namespace.metadata.name);
      },
    });
    this.#kinds.want('dependents', [NAMESPACE]);
  }

  get(name: string): KubeObject | undefined {
    return this.#kinds.store(NAMESPACE)?.get(keyOf({ ...NAMESPACE, name }));
  }

  *names(): Iterable<string> {
    for (const { metadata } of this.#kinds.store(NAMESPACE)?.values() ?? []) yield metadata.name;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#kinds.run(signal);
  }
}
