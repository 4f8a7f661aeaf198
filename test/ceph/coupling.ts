import { setTimeout as sleep } from 'node:timers/promises';
import { isTrueAt, listAt, textAt, type KubeObject } from '#pkg/object';
import { osdLabels } from '#test/fixtures/osds.ts';
import type { CephCluster, OsdPlace } from '../../scripts/ceph/index.ts';
import type { Client } from '../controller/client.ts';

const NAMESPACE = 'rook-ceph';
const POLL_MS = 250;
const LEASE_MS = 5000;

/**
 * Joins a control plane and a Ceph: every OSD has a Deployment, and its pod stands for the process. It does what a
 * scheduler and a kubelet would: a pod is bound to its node if that takes pods, then its OSD is started; a pod that is
 * to go takes its OSD with it.
 */
export class Coupling {
  readonly #client: Client;
  readonly #ceph: CephCluster;
  readonly #places: readonly OsdPlace[];
  readonly #stop = new AbortController();
  /** OSDs that crashed and stay so. */
  readonly #broken = new Set<number>();
  readonly #ready = new Map<string, boolean>();
  /** Nodes without power. */
  readonly #off = new Set<string>();
  #leasedAt = 0;
  #running: Promise<void> | undefined;

  constructor(client: Client, ceph: CephCluster, places: readonly OsdPlace[]) {
    this.#client = client;
    this.#ceph = ceph;
    this.#places = places;
  }

  get nodes(): readonly string[] {
    return [...new Set(this.#places.map(({ host }) => host))];
  }

  async start(): Promise<void> {
    for (const node of this.nodes) await this.#makeNode(node);
    for (const id of this.#places.keys()) await this.#makeDeployment(id);
    this.#running = this.#run(this.#stop.signal);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** A crash that no restart mends. */
  async break(id: number): Promise<void> {
    this.#broken.add(id);
    await this.#ceph.stopOsd(id);
  }

  mend(id: number): void {
    this.#broken.delete(id);
    this.#ceph.startOsd(id);
  }

  powerOff(node: string): void {
    this.#off.add(node);
    this.#leasedAt = 0;
  }

  powerOn(node: string): void {
    this.#off.delete(node);
    this.#leasedAt = 0;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#turn().catch((error: unknown) => {
        if (!signal.aborted) process.stderr.write(`coupling: ${String(error)}\n`);
      });
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #turn(): Promise<void> {
    if (Date.now() - this.#leasedAt > LEASE_MS) await this.#renew();
    const pods = await this.#list(`/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app%3Drook-ceph-osd`);
    const nodes = new Map((await this.#list('/api/v1/nodes')).map((node) => [node.metadata.name, node]));
    for (const pod of pods) await this.#serve(pod, nodes);
  }

  async #serve(pod: KubeObject, nodes: ReadonlyMap<string, KubeObject>): Promise<void> {
    const id = Number(pod.metadata.labels?.['ceph-osd-id']);
    const place = this.#places[id];
    if (!place) return;
    if (pod.metadata.deletionTimestamp) {
      await this.#ceph.stopOsd(id);
      const path = `/api/v1/namespaces/${NAMESPACE}/pods/${pod.metadata.name}`;
      await this.#client.send('DELETE', path, undefined, { query: 'gracePeriodSeconds=0' });
      return;
    }
    if (textAt(pod, 'spec', 'nodeName') === undefined) {
      const node = nodes.get(place.host);
      if (!node || isTrueAt(node, 'spec', 'unschedulable')) return;
      await this.#bind(pod, place.host);
      if (!this.#ceph.isOsdRunning(id)) this.#ceph.startOsd(id);
    }
    await this.#tellReadiness(pod, id);
  }

  /** A pod is ready when Ceph has its OSD. */
  async #tellReadiness(pod: KubeObject, id: number): Promise<void> {
    const uid = pod.metadata.uid ?? '';
    const runs = this.#ceph.isOsdRunning(id) && !this.#broken.has(id);
    if (this.#ready.get(uid) === runs) return;
    if (runs) {
      const { osds } = await this.#ceph.ceph.osdMap(this.#stop.signal);
      if (!osds.find((osd) => osd.id === id)?.isUp) return;
    }
    const status = runs ? 'True' : 'False';
    const now = new Date().toISOString();
    const conditions = ['Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: type === 'PodScheduled' ? 'True' : status,
      lastTransitionTime: now,
    }));
    const change = { status: { phase: 'Running', conditions, startTime: now } };
    const { status: code } = await this.#client.patch(pod, change, { subresource: 'status' });
    if (code === 200) this.#ready.set(uid, runs);
  }

  async #bind(pod: KubeObject, node: string): Promise<void> {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${pod.metadata.name}/binding`;
    await this.#client.send('POST', path, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: pod.metadata.name },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    });
  }

  async #makeNode(name: string): Promise<void> {
    const labels = { 'kubernetes.io/hostname': name };
    await this.#client.create({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels } } as never);
  }

  /** Without a heartbeat the pods of a node would be called NotReady within a minute. */
  async #renew(): Promise<void> {
    this.#leasedAt = Date.now();
    const now = new Date().toISOString();
    for (const name of this.nodes) {
      const isOff = this.#off.has(name);
      const [status, reason] = isOff ? ['False', 'KubeletNotReady'] : ['True', 'KubeletReady'];
      const ready = { type: 'Ready', status, reason, lastHeartbeatTime: now };
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
      await this.#client.patch(node, { status: { conditions: [ready] } }, { subresource: 'status' });
    }
  }

  async #makeDeployment(id: number): Promise<void> {
    const place = this.#places[id];
    if (!place) return;
    const labels = osdLabels(id, { zone: place.zone, node: place.host });
    await this.#client.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `rook-ceph-osd-${id}`, namespace: NAMESPACE, labels },
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { 'ceph-osd-id': String(id) } },
        template: {
          metadata: { labels },
          spec: {
            nodeSelector: { 'kubernetes.io/hostname': place.host },
            terminationGracePeriodSeconds: 30,
            containers: [{ name: 'osd', image: 'ceph' }],
          },
        },
      },
    } as never);
  }

  async #list(path: string): Promise<readonly KubeObject[]> {
    const { status, body, message } = await this.#client.send('GET', path, undefined);
    if (status !== 200) throw new Error(`cannot list ${path}: ${status} ${message}`);
    const kind = path.includes('/pods') ? 'Pod' : 'Node';
    return (listAt(body, 'items') as readonly KubeObject[]).map((item) => ({
      ...item,
      apiVersion: 'v1',
      kind,
    }));
  }
}
