import { setTimeout as sleep } from 'node:timers/promises';
import { isTrueAt, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import type { CephCluster, OsdPlace } from '../../scripts/ceph/index.ts';
import type { Client } from '../controller/client.ts';
import { HOSTNAME, osdDeployment, ZONE } from './osd-deployment.ts';

const NAMESPACE = 'rook-ceph';
const POLL_MS = 250;
const LEASE_MS = 5000;

/**
 * Joins a control plane and a Ceph: every OSD has a Deployment, and its pod stands for the process. It does what a
 * scheduler and a kubelet would: a pod is bound to a node that it asks for and that takes pods, then its OSD is started; a
 * pod that is to go takes its OSD with it.
 */
export class Coupling {
  readonly #client: Client;
  readonly #ceph: CephCluster;
  readonly #places: readonly OsdPlace[];
  readonly #stop = new AbortController();
  /** OSDs that crashed and stay so. */
  readonly #broken = new Set<number>();
  readonly #ready = new Map<string, boolean>();
  /** Where each OSD was started last. */
  readonly #seats = new Map<number, string>();
  /** Nodes without power. */
  readonly #off = new Set<string>();
  #leasedAt = 0;
  /** Asked at most once in a turn. */
  #up: Promise<ReadonlySet<number>> | undefined;
  #running: Promise<void> | undefined;

  constructor(client: Client, ceph: CephCluster, places: readonly OsdPlace[]) {
    this.#client = client;
    this.#ceph = ceph;
    this.#places = places;
  }

  get nodes(): readonly string[] {
    return [...new Set(this.#places.map(({ host, node = host }) => node))];
  }

  async start(): Promise<void> {
    for (const node of this.nodes) await this.makeNode(node);
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
    this.#ceph.startOsd(id, this.#seats.get(id));
  }

  /** As a kubelet does that finds itself unknown. */
  async makeNode(name: string, spec: object = {}): Promise<void> {
    const { zone } = this.#places.find(({ host, node = host }) => node === name) ?? {};
    const labels = { [HOSTNAME]: name, [ZONE]: zone };
    await this.#client.create({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec } as never);
    this.#leasedAt = 0;
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
    this.#up = undefined;
    const pods = await this.#list(`/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=app%3Drook-ceph-osd`);
    const nodes = await this.#list('/api/v1/nodes');
    // Two pods of one OSD: the new one may have it when the old one has gone.
    const isLeaving = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
    for (const pod of pods.filter(isLeaving)) await this.#serve(pod, nodes);
    for (const pod of pods.filter((one) => !isLeaving(one))) await this.#serve(pod, nodes);
  }

  async #serve(pod: KubeObject, nodes: readonly KubeObject[]): Promise<void> {
    const id = Number(pod.metadata.labels?.['ceph-osd-id']);
    if (pod.metadata.deletionTimestamp) {
      await this.#ceph.stopOsd(id);
      const path = `/api/v1/namespaces/${NAMESPACE}/pods/${pod.metadata.name}`;
      await this.#client.send('DELETE', path, undefined, { query: 'gracePeriodSeconds=0' });
      return;
    }
    if (textAt(pod, 'spec', 'nodeName') === undefined) {
      const node = this.#nodeFor(pod, id, nodes);
      if (node === undefined) return;
      await this.#bind(pod, node);
      this.#seats.set(id, node);
      if (!this.#ceph.isOsdRunning(id)) this.#ceph.startOsd(id, node);
    }
    await this.#tellReadiness(pod, id);
  }

  /** One that takes pods and has the labels that this one asks for: where the OSD was first, if that will do. */
  #nodeFor(pod: KubeObject, id: number, nodes: readonly KubeObject[]): string | undefined {
    const wanted = Object.entries(recordAt(pod, 'spec', 'nodeSelector'));
    const fitting = nodes
      .filter((node) => !isTrueAt(node, 'spec', 'unschedulable'))
      .filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value))
      .map(({ metadata }) => metadata.name);
    const first = this.#places[id]?.node;
    return first !== undefined && fitting.includes(first) ? first : fitting[0];
  }

  /** A pod is ready when Ceph has its OSD. */
  async #tellReadiness(pod: KubeObject, id: number): Promise<void> {
    const uid = pod.metadata.uid ?? '';
    const runs = this.#ceph.isOsdRunning(id) && !this.#broken.has(id);
    if (this.#ready.get(uid) === runs) return;
    if (runs) {
      this.#up ??= this.#upOsds();
      if (!(await this.#up).has(id)) return;
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

  async #upOsds(): Promise<ReadonlySet<number>> {
    const { osds } = await this.#ceph.ceph.osdMap(this.#stop.signal);
    return new Set(osds.filter(({ isUp }) => isUp).map(({ id }) => id));
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
    await this.#client.create(osdDeployment(id, place) as never);
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
