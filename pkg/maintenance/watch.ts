import { WatchedKinds, type ReflectorPorts } from '#pkg/cache';
import { NODE, nodeState } from '#pkg/drain';
import { refOf, sameKind, type ObjectRef } from '#pkg/object';
import { MAINTENANCE } from './maintenance.ts';

interface Sign {
  readonly ref: ObjectRef;
  readonly text: string;
}

/** Follows maintenances and nodes. What else they wait for they look for themselves, while they wait. */
export class MaintenanceWatch {
  readonly #kinds: WatchedKinds<Sign>;
  readonly #turn: (maintenance: ObjectRef) => void;

  constructor(ports: ReflectorPorts, turn: (maintenance: ObjectRef) => void) {
    this.#turn = turn;
    this.#kinds = new WatchedKinds(ports, (kind) => ({
      kind,
      detail: 'object',
      project: (object) => ({
        ref: refOf(object),
        text: sameKind(kind, NODE)
          ? nodeState(object)
          : JSON.stringify([object['spec'], object.metadata.deletionTimestamp, object.metadata.finalizers]),
      }),
      indexes: {},
    }));
    this.#kinds.listen({
      changed: (_kind, { old, new: now }) => {
        const { ref } = now ?? old ?? {};
        // Both bear the name of the node.
        if (ref && old?.text !== now?.text) this.#wake(ref.name);
      },
    });
    this.#kinds.want('maintenance', [MAINTENANCE, NODE]);
  }

  turnAll(): void {
    for (const { ref } of this.#maintenances()) this.#turn(ref);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#kinds.run(signal);
  }

  #maintenances(): Iterable<Sign> {
    return this.#kinds.store(MAINTENANCE)?.values() ?? [];
  }

  #wake(name: string): void {
    for (const { ref } of this.#maintenances()) if (ref.name === name) this.#turn(ref);
  }
}
