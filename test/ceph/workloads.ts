import { setTimeout as sleep } from 'node:timers/promises';
import { isTrueAt, listAt, textAt, type KubeObject } from '#pkg/object';
import { servedVolume } from '#test/fixtures/served-objects.ts';
import type { Client } from '../controller/client.ts';
import { namespace } from '../controller/objects.ts';

const POLL_MS = 200;
const LABEL = 'stand-in';

/** Pods without processes: bound to the node they ask for if that takes pods, ready at once, gone when they are told to. */
export class Workloads {
  readonly #client: Client;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  async start(): Promise<void> {
    await this.#client.create(namespace('shop'));
    this.#running = this.#run(this.#stop.signal);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** A Deployment; with a node, its pods run there and nowhere else. */
  async deploy(
    name: string,
    where: {
      readonly namespace: string;
      readonly node?: string;
      readonly labels?: object;
      readonly claim?: string;
    },
  ): Promise<void> {
    const labels = { app: name, ...where.labels, [LABEL]: 'true' };
    const volumes = where.claim ? [{ name: 'data', persistentVolumeClaim: { claimName: where.claim } }] : [];
    const place = where.node ? { nodeSelector: { 'kubernetes.io/hostname': where.node } } : {};
    await this.#client.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: where.namespace },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: labels.app } },
        template: {
          metadata: { labels },
          spec: {
            ...place,
            volumes,
            containers: [{ name: 'c', image: 'i' }],
            terminationGracePeriodSeconds: 5,
          },
        },
      },
    } as never);
  }

  /** A claim with a volume of Ceph. */
  async claim(name: string, within: string): Promise<void> {
    const accessModes = ['ReadWriteOnce'];
    const volume = servedVolume(
      `volume-of-${name}`,
      'rook-ceph.rbd.csi.ceph.com',
      {},
      { storageClassName: '' },
    );
    await this.#client.create(volume as never);
    await this.#client.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: within },
      spec: {
        accessModes,
        storageClassName: '',
        volumeName: `volume-of-${name}`,
        resources: { requests: { storage: '1Gi' } },
      },
    } as never);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#turn().catch((error: unknown) => {
        if (!signal.aborted) process.stderr.write(`workloads: ${String(error)}\n`);
      });
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #turn(): Promise<void> {
    const pods = await this.#items(`/api/v1/pods?labelSelector=${LABEL}`);
    const nodes = await this.#items('/api/v1/nodes');
    for (const pod of pods) await this.#serve({ ...pod, apiVersion: 'v1', kind: 'Pod' }, nodes);
  }

  async #serve(pod: KubeObject, nodes: readonly KubeObject[]): Promise<void> {
    const path = `/api/v1/namespaces/${pod.metadata.namespace ?? ''}/pods/${pod.metadata.name}`;
    if (pod.metadata.deletionTimestamp) {
      await this.#client.send('DELETE', path, undefined, { query: 'gracePeriodSeconds=0' });
      return;
    }
    if (textAt(pod, 'spec', 'nodeName') === undefined) {
      const wanted = textAt(pod, 'spec', 'nodeSelector', 'kubernetes.io/hostname');
      const node = nodes.find(
        (one) =>
          !isTrueAt(one, 'spec', 'unschedulable') && (wanted === undefined || one.metadata.name === wanted),
      );
      if (!node) return;
      await this.#client.send('POST', `${path}/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.metadata.name },
        target: { apiVersion: 'v1', kind: 'Node', name: node.metadata.name },
      });
    }
    if (textAt(pod, 'status', 'phase') === 'Running') return;
    const now = new Date().toISOString();
    const conditions = ['Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: now,
    }));
    const change = { status: { phase: 'Running', conditions, startTime: now } };
    await this.#client.patch(pod, change, { subresource: 'status' });
  }

  async #items(path: string): Promise<readonly KubeObject[]> {
    const { status, body, message } = await this.#client.send('GET', path, undefined);
    if (status !== 200) throw new Error(`cannot list ${path}: ${status} ${message}`);
    return listAt(body, 'items') as readonly KubeObject[];
  }
}
