import { setTimeout as sleep } from 'node:timers/promises';
import { isTrueAt, listAt, numberAt, type KubeObject } from '#pkg/object';
import type { CephCluster } from '../../scripts/ceph/index.ts';
import type { Client } from '../controller/client.ts';
import { DEFAULT } from './drain-stage.ts';

const POLL_MS = 250;
const ZONES = ['zone-x', 'zone-y', 'zone-z'];
const { signal } = new AbortController();

/**
 * What Rook does about drains while `managePodBudgets` is true, as far as somebody who hands over meets it: budgets without
 * labels, noout on the zone that drains, and notes. What it finds under the name of one of its budgets it takes for its own.
 */
export class RookStandIn {
  static readonly notes = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'rook-ceph-pdbstatemap', namespace: 'rook-ceph' },
  };

  /** Rook keeps this one whatever it is told, so it is not taken back; with its operator goes whoever would delete it. */
  static readonly managers = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'rook-ceph-mgr-pdb', namespace: 'rook-ceph' },
  };

  readonly #client: Client;
  readonly #ceph: CephCluster;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(client: Client, ceph: CephCluster) {
    this.#client = client;
    this.#ceph = ceph;
    this.#running = this.#run();
  }

  /** It leaves everything as it is, as Rook does. */
  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#turn();
      await sleep(POLL_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  async #turn(): Promise<void> {
    const metadata = { name: 'rook-ceph', namespace: 'rook-ceph' };
    const cluster = await this.#client.read({ apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', metadata });
    if (!cluster || !isTrueAt(cluster, 'spec', 'disruptionManagement', 'managePodBudgets')) return;
    const draining = await this.#downZone();
    if (draining === undefined) return;
    for (const zone of ZONES.filter((other) => other !== draining)) {
      await this.#client.create(blocking(zone, cluster) as never);
    }
    await this.#client.delete({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { ...metadata, name: DEFAULT },
    });
    const data = {
      'draining-failure-domain': draining,
      'set-no-out': 'true',
      [`${draining}-noout-last-set-at`]: new Date().toISOString(),
    };
    await this.#client.create({ ...RookStandIn.notes, data } as never);
    const { bucketFlags } = await this.#ceph.ceph.osdMap(signal);
    if (!bucketFlags.has(draining)) await this.#ceph.ceph.setNoout(draining, signal);
  }

  async #downZone(): Promise<string | undefined> {
    const path = '/apis/apps/v1/namespaces/rook-ceph/deployments';
    const { body } = await this.#client.send('GET', path, undefined);
    const down = (listAt(body, 'items') as readonly KubeObject[]).filter(
      (deployment) => (numberAt(deployment, 'status', 'readyReplicas') ?? 0) < 1,
    );
    return down.map(({ metadata }) => metadata.labels?.['topology-location-zone'] ?? '').sort()[0];
  }
}

function blocking(zone: string, { apiVersion, kind, metadata: { name, uid } }: KubeObject): object {
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `${DEFAULT}-zone-${zone}`, namespace: 'rook-ceph', ownerReferences: [owner] },
    spec: { maxUnavailable: 0, selector: { matchLabels: { 'topology-location-zone': zone } } },
  };
}
