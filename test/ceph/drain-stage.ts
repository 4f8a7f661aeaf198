import { readFile } from 'node:fs/promises';
import { vi } from 'vitest';
import { fieldAt, Kinds, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import type { DrainReport } from '#pkg/verdict';
import { served } from '#test/fixtures/served-objects.ts';
import { startCeph, THREE_ZONES, type CephCluster, type OsdPlace } from '../../scripts/ceph/index.ts';
import { run } from '../../scripts/controlplane/index.ts';
import { Client, type Reply } from '../controller/client.ts';
import { localInstall, type LocalInstall, type Replica } from '../controller/local-install.ts';
import { namespace } from '../controller/objects.ts';
import { Coupling } from './coupling.ts';

export const DEFAULT = 'rook-ceph-osd';
/** Three zones of one node, and in the first another one, where an OSD on a claim runs. */
export const PLACES: readonly OsdPlace[] = [
  ...THREE_ZONES,
  { zone: 'zone-x', host: 'set-data-0', node: 'node-d' },
];
export const WAIT = { timeout: 90_000, interval: 250 };
export const LONG = { timeout: 400_000 };
const PODS = '/api/v1/namespaces/rook-ceph/pods';
const { signal } = new AbortController();

/** Where drains are played: a control plane and a Ceph, joined, and the controller beside them. */
export class DrainStage {
  readonly ceph: CephCluster;
  readonly install: LocalInstall;
  readonly client: Client;
  readonly coupling: Coupling;
  replica: Replica | undefined;

  private constructor(ceph: CephCluster, install: LocalInstall) {
    this.ceph = ceph;
    this.install = install;
    this.client = new Client(install.plane);
    this.coupling = new Coupling(this.client, ceph, PLACES);
  }

  /** Without the controller, and with a CephCluster of this spec. */
  static async open(spec: object): Promise<DrainStage> {
    const stage = new DrainStage(
      ...(await Promise.all([startCeph({ osds: PLACES, downOutSeconds: 15 }), localInstall({ kinds: [] })])),
    );
    await stage.client.create(namespace('rook-ceph'));
    await stage.client.create(served(Kinds.CephCluster, 'rook-ceph', 'rook-ceph', spec) as never);
    await stage.coupling.start();
    return stage;
  }

  async close(): Promise<void> {
    if (process.env['SHOW_LOG']) process.stderr.write(await this.log());
    await this.coupling.end();
    await Promise.all([this.install.end(), this.ceph.stop()]);
  }

  async startController(): Promise<void> {
    this.replica = await this.install.start(['--ceph-conf', this.ceph.conf]);
  }

  log(): Promise<string> {
    return this.replica ? readFile(this.replica.log, 'utf8') : Promise.resolve('');
  }

  /** Wakes the controller by a label that nobody reads. */
  async touch(): Promise<void> {
    const [budget] = await this.budgets();
    const change = { metadata: { labels: { touched: String(Date.now()) } } };
    if (budget) await this.client.patch(typed(budget), change);
  }

  /** Until the controller has looked, from beginning to end, at what is so now, or was at some time. */
  async untilLooked(since = Date.now()): Promise<void> {
    await this.touch();
    await vi.waitUntil(async () => {
      const looks = (await this.log())
        .split('\n')
        .filter((line) => line.includes('"controller":"disruption"'));
      const began = looks.filter((line) => line.includes('"reconciled"')).map(beginning);
      return began.some((time) => time >= since);
    }, WAIT);
  }

  async manage(disruptionManagement: object): Promise<void> {
    await this.spec({ disruptionManagement });
  }

  async spec(spec: object): Promise<void> {
    const metadata = { name: 'rook-ceph', namespace: 'rook-ceph' };
    await this.client.patch({ apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', metadata }, { spec });
  }

  async budgets(): Promise<readonly KubeObject[]> {
    const path = '/apis/policy/v1/namespaces/rook-ceph/poddisruptionbudgets';
    return listAt((await this.client.send('GET', path, undefined)).body, 'items') as readonly KubeObject[];
  }

  async osdBudgetNames(): Promise<readonly string[]> {
    const names = (await this.budgets()).map(({ metadata }) => metadata.name);
    return names.filter((name) => name.startsWith(DEFAULT)).sort();
  }

  /** The budgets that bear our mark. */
  async ours(): Promise<readonly string[]> {
    const marked = (await this.budgets()).filter(
      ({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] === 'rook-deps',
    );
    return marked.map(({ metadata }) => metadata.name).sort();
  }

  async noout(): Promise<readonly string[]> {
    return [...(await this.ceph.ceph.osdMap(signal)).bucketFlags.keys()];
  }

  readonly state = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'rook-deps-disruption', namespace: 'rook-ceph' },
  };

  /** Whether there is the default budget alone, all OSDs are there, and no flag is set. */
  async isQuiet(): Promise<boolean> {
    const found = (await this.budgets()).find(({ metadata }) => metadata.name === DEFAULT);
    const { disruptionsAllowed, currentHealthy } = recordAt(found, 'status');
    const names = await this.osdBudgetNames();
    const isWhole = disruptionsAllowed === 1 && currentHealthy === PLACES.length;
    return isWhole && names.length === 1 && (await this.noout()).length === 0;
  }

  async untilQuiet(): Promise<void> {
    await vi.waitUntil(() => this.isQuiet(), WAIT);
  }

  kubectl(...args: readonly string[]): ReturnType<typeof run> {
    const { kubeconfig, binaries, folder } = this.install.plane;
    const env = { KUBECONFIG: kubeconfig, HOME: folder, PATH: process.env['PATH'] };
    return run(binaries.kubectl, args, { env }, AbortSignal.timeout(110_000));
  }

  drain(node: string, timeout: string): ReturnType<typeof run> {
    const flags = ['--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${timeout}`];
    return this.kubectl('drain', node, ...flags);
  }

  /** How long Ceph waits for an OSD that is down before it moves its data. */
  async markOutAfter(seconds: number): Promise<void> {
    // Over the file: what the monitors keep for all would not count against that.
    const args = ['tell', 'mon.a', 'config', 'set', 'mon_osd_down_out_interval', String(seconds)];
    await this.ceph.output('ceph', args);
  }

  async podOf(id: number): Promise<KubeObject | undefined> {
    const query = `labelSelector=${encodeURIComponent(`ceph-osd-id=${id}`)}`;
    const { body } = await this.client.send('GET', PODS, undefined, { query });
    const [pod] = listAt(body, 'items') as readonly KubeObject[];
    return pod && { ...pod, apiVersion: 'v1', kind: 'Pod' };
  }

  /** What the API server says to the eviction of an OSD's pod. */
  async evict(id: number): Promise<Reply> {
    const name = (await this.podOf(id))?.metadata.name ?? '';
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: 'rook-ceph' },
    };
    return this.client.send('POST', `${PODS}/${name}/eviction`, eviction);
  }

  async why(node: string): Promise<DrainReport> {
    const flags = ['-o', 'json', '--ceph-conf', this.ceph.conf];
    const { stdout } = await this.install.plugin(['why', `node/${node}`, ...flags]);
    return JSON.parse(stdout) as DrainReport;
  }

  /** Events about an object, as `reason`. */
  async eventsOn(kind: string, name: string): Promise<readonly string[]> {
    const { body } = await this.client.send('GET', '/apis/events.k8s.io/v1/events', undefined);
    return listAt(body, 'items')
      .filter((event) => {
        const regarding = fieldAt(event, 'regarding');
        return textAt(regarding, 'kind') === kind && textAt(regarding, 'name') === name;
      })
      .flatMap((event) => textAt(event, 'reason') ?? []);
  }
}

/** When a reconcile began whose end a line of the log tells. */
function beginning(line: string): number {
  const { time, durationMs } = JSON.parse(line) as { readonly time: string; readonly durationMs: number };
  return Date.parse(time) - durationMs;
}

/** Items of a list do not say what they are. */
function typed({ metadata }: KubeObject): KubeObject {
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata };
}
