import { readFile } from 'node:fs/promises';
import { fieldAt, Kinds, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import type { DrainReport } from '#pkg/verdict';
import { served } from '#test/fixtures/served-objects.ts';
import { startCeph, THREE_ZONES, type CephCluster } from '../../scripts/ceph/index.ts';
import { run } from '../../scripts/controlplane/index.ts';
import { Client, type Reply } from '../controller/client.ts';
import { localInstall, type LocalInstall, type Replica } from '../controller/local-install.ts';
import { namespace } from '../controller/objects.ts';
import { Coupling } from './coupling.ts';

export const DEFAULT = 'rook-ceph-osd';
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
    this.coupling = new Coupling(this.client, ceph, THREE_ZONES);
  }

  /** Without the controller, and with a CephCluster of this spec. */
  static async open(spec: object): Promise<DrainStage> {
    const stage = new DrainStage(
      ...(await Promise.all([startCeph({ downOutSeconds: 15 }), localInstall({ kinds: [] })])),
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
    const isWhole = disruptionsAllowed === 1 && currentHealthy === THREE_ZONES.length;
    return isWhole && names.length === 1 && (await this.noout()).length === 0;
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

  /** What the API server says to the eviction of an OSD's pod. */
  async evict(id: number): Promise<Reply> {
    const selector = encodeURIComponent(`ceph-osd-id=${id}`);
    const path = '/api/v1/namespaces/rook-ceph/pods';
    const { body } = await this.client.send('GET', path, undefined, { query: `labelSelector=${selector}` });
    const name = textAt(listAt(body, 'items')[0], 'metadata', 'name') ?? '';
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: 'rook-ceph' },
    };
    return this.client.send('POST', `${path}/${name}/eviction`, eviction);
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
