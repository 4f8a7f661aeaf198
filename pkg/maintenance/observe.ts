import { NODE } from '#pkg/drain';
import {
  isTrueAt,
  Kinds,
  textAt,
  type Gap,
  type GroupKind,
  type KubeObject,
  type ListRequest,
  type Reader,
} from '#pkg/object';
import { cephDriver } from '#pkg/rules';
import type { Maintenance } from './maintenance.ts';
import { claimsOf, drainPod, staysOnNode, type DrainPod } from './pods.ts';
import type { NodeFacts, Situation } from './situation.ts';

export type ObserverReader = Pick<Reader, 'get' | 'list'>;

/** Objects of a kind could not be seen, or not all. */
export class Unlisted extends Error {
  readonly isForbidden: boolean;

  constructor({ what, reason }: Gap) {
    super(`cannot list ${what}: ${reason}`);
    this.name = 'Unlisted';
    this.isForbidden = reason.startsWith('forbidden');
  }
}

/** Everything of a kind, or an error: what is not seen is not absent. */
export async function listAll(
  reader: ObserverReader,
  kind: GroupKind,
  request: Partial<ListRequest>,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { items, gaps } = await reader.list({ kind, detail: 'object', ...request }, signal);
  const [gap] = gaps;
  if (gap) throw new Unlisted(gap);
  return items;
}

/** Looks at a node and its pods. Remembers what volumes pods have: that never changes while they live. */
export class Observer {
  readonly #reader: ObserverReader;
  /** By node, the volumes of each pod, by its UID. */
  readonly #volumes = new Map<string, ReadonlyMap<string, readonly string[]>>();

  constructor(reader: ObserverReader) {
    this.#reader = reader;
  }

  async look(maintenance: Maintenance, now: number, signal: AbortSignal): Promise<Situation> {
    const name = maintenance.request.node;
    const seen = { maintenance, now, node: await this.node(name, signal) };
    // On the way back nothing is evicted.
    if (maintenance.isStopping) return { ...seen, pods: [], attached: [] };
    const pods = await this.#podsOn(name, signal);
    const kept = new Set(pods.filter(({ object }) => staysOnNode(object)).flatMap(({ volumes }) => volumes));
    const going: readonly DrainPod[] = pods
      .filter(({ object }) => !staysOnNode(object))
      .map(({ object, volumes }) => drainPod(object, volumes));
    return { ...seen, pods: going, attached: await this.#attached(name, kept, signal) };
  }

  async node(name: string, signal: AbortSignal): Promise<NodeFacts | undefined> {
    const node = await this.#reader.get(NODE, undefined, name, signal);
    return node && nodeFacts(node);
  }

  async #podsOn(
    node: string,
    signal: AbortSignal,
  ): Promise<readonly { readonly object: KubeObject; readonly volumes: readonly string[] }[]> {
    const listed = await listAll(this.#reader, Kinds.Pod, { fieldSelector: `spec.nodeName=${node}` }, signal);
    const known = this.#volumes.get(node);
    const pods = await Promise.all(
      listed
        .filter((pod) => textAt(pod, 'spec', 'nodeName') === node)
        .map(async (object) => ({
          object,
          volumes: known?.get(object.metadata.uid ?? '') ?? (await this.#volumesOf(object, signal)),
        })),
    );
    this.#volumes.set(node, new Map(pods.map(({ object, volumes }) => [object.metadata.uid ?? '', volumes])));
    return pods;
  }

  /** The names of Ceph's volumes that a pod uses. */
  async #volumesOf(pod: KubeObject, signal: AbortSignal): Promise<readonly string[]> {
    const names = await Promise.all(
      claimsOf(pod).map(async (name) => {
        const claim = await this.#reader.get(
          Kinds.PersistentVolumeClaim,
          pod.metadata.namespace,
          name,
          signal,
        );
        const volume = textAt(claim, 'spec', 'volumeName');
        return volume && (await this.#isOfCeph(volume, signal)) ? [volume] : [];
      }),
    );
    return names.flat();
  }

  async #isOfCeph(volume: string, signal: AbortSignal): Promise<boolean> {
    const object = await this.#reader.get(Kinds.PersistentVolume, undefined, volume, signal);
    return cephDriver(textAt(object, 'spec', 'csi', 'driver')) !== undefined;
  }

  async #attached(node: string, kept: ReadonlySet<string>, signal: AbortSignal): Promise<readonly string[]> {
    const attachments = await listAll(this.#reader, Kinds.VolumeAttachment, {}, signal);
    return attachments.flatMap((attachment) => {
      const volume = textAt(attachment, 'spec', 'source', 'persistentVolumeName');
      const isHere = textAt(attachment, 'spec', 'nodeName') === node;
      const isOfCeph = cephDriver(textAt(attachment, 'spec', 'attacher')) !== undefined;
      return isHere && isOfCeph && volume !== undefined && !kept.has(volume) ? [volume] : [];
    });
  }
}

export function nodeFacts(object: KubeObject): NodeFacts {
  const { name, uid = '' } = object.metadata;
  return { object, name, uid, isCordoned: isTrueAt(object, 'spec', 'unschedulable') };
}
