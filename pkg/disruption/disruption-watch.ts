import { WatchedKinds, type ReflectorPorts } from '#pkg/cache';
import { BUDGET, NODE, nodeState, OSD_SELECTOR, REPLACING } from '#pkg/drain';
import {
  kindKey,
  Kinds,
  listAt,
  numberAt,
  refOf,
  textAt,
  type KubeObject,
  type ObjectRef,
} from '#pkg/object';
import { DAEMON_SELECTOR, SERVICES } from './kinds.ts';

/** What matters of an object: when this text changes, somebody has to look. */
interface Sign {
  readonly ref: ObjectRef;
  readonly text: string;
}

/** Follows clusters, OSDs, nodes and budgets, and says which cluster's turn it is when something matters. */
export class DisruptionWatch {
  readonly #kinds: WatchedKinds<Sign>;
  readonly #turn: (cluster: ObjectRef) => void;

  constructor(ports: ReflectorPorts, turn: (cluster: ObjectRef) => void) {
    this.#turn = turn;
    this.#kinds = new WatchedKinds(ports, (kind) => ({
      kind,
      detail: 'object',
      ...selectorOf(kindKey(kind)),
      project: (object) => ({ ref: refOf(object), text: signOf(object) }),
      indexes: {},
    }));
    this.#kinds.listen({
      changed: (_kind, { old, new: now }) => {
        if (old?.text !== now?.text) this.#wake((now ?? old)?.ref);
      },
    });
    this.#kinds.want('disruption', [
      Kinds.CephCluster,
      NODE,
      Kinds.Deployment,
      Kinds.Pod,
      BUDGET,
      ...SERVICES,
    ]);
  }

  turnAll(): void {
    for (const ref of this.clusters()) this.#turn(ref);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#kinds.run(signal);
  }

  clusters(): readonly ObjectRef[] {
    return [...(this.#kinds.store(Kinds.CephCluster)?.values() ?? [])].map(({ ref }) => ref);
  }

  /** A node concerns every cluster; anything else those of its namespace. */
  #wake(ref: ObjectRef | undefined): void {
    for (const cluster of this.clusters()) {
      if (!ref?.namespace || ref.namespace === cluster.namespace) this.#turn(cluster);
    }
  }
}

function selectorOf(kind: string): { readonly labelSelector?: string } {
  if (kind === kindKey(Kinds.Deployment)) return { labelSelector: OSD_SELECTOR };
  return kind === kindKey(Kinds.Pod) ? { labelSelector: DAEMON_SELECTOR } : {};
}

function signOf(object: KubeObject): string {
  switch (object.kind) {
    case 'Node':
      return nodeState(object);
    case 'Pod':
      return podSign(object);
    case 'Deployment':
      return JSON.stringify([
        object.metadata.labels,
        object.metadata.annotations?.[REPLACING],
        numberAt(object, 'status', 'readyReplicas') ?? 0,
      ]);
    case 'PodDisruptionBudget':
      return `${object.metadata.uid ?? ''} ${JSON.stringify([object.metadata.labels, object['spec']])}`;
    default:
      return JSON.stringify([object['spec'], object.metadata.deletionTimestamp ?? '']);
  }
}

function podSign(pod: KubeObject): string {
  const ready = listAt(pod, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'Ready',
  );
  const facts = [
    textAt(pod, 'spec', 'nodeName'),
    textAt(ready, 'status'),
    pod.metadata.deletionTimestamp ? 'going' : 'here',
  ];
  return facts.join(' ');
}
