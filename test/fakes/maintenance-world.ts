import {
  CephSilent,
  type Ceph,
  type CephPool,
  type MdsRank,
  type OsdMap,
  type PlacementGroup,
} from '#pkg/ceph';
import {
  advance,
  configMapLedger,
  maintenanceReconciler,
  Observer,
  resourceLedger,
  type Advance,
  type Maintenance,
  type MaintenancePorts,
  type MaintenanceRequest,
} from '#pkg/maintenance';
import { isTrueAt, Kinds, kindKey, parseLabelSelector, refOf, textAt, type KubeObject } from '#pkg/object';
import { aCluster, anObject, type Parts } from '../fixtures/objects.ts';
import { aNode, anOsd, anOsdPod } from '../fixtures/osds.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeCluster } from './fake-cluster.ts';

const { signal } = new AbortController();
const ZONES = ['x', 'y', 'z'] as const;
const RUNNING = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

/** The node of an OSD: two on each of `node-x`, `node-y` and `node-z`. */
export function nodeOf(osd: number): string {
  return `node-${ZONES[Math.floor(osd / 2)] ?? ''}`;
}

export function aWorkload(
  name: string,
  node: string,
  parts: Parts & { readonly spec?: object } = {},
): KubeObject {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'rs', controller: true };
  return anObject(Kinds.Pod, name, {
    namespace: 'shop',
    ownerReferences: [owner],
    status: RUNNING,
    ...parts,
    spec: { nodeName: node, ...parts.spec },
  });
}

/** A pod that uses a volume of Ceph, the claim and the volume. */
export function aConsumer(name: string, node: string): readonly KubeObject[] {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: `claim-of-${name}` } }];
  return [
    aWorkload(name, node, { spec: { volumes } }),
    anObject(Kinds.PersistentVolumeClaim, `claim-of-${name}`, {
      namespace: 'shop',
      spec: { volumeName: `volume-of-${name}` },
    }),
    anObject(Kinds.PersistentVolume, `volume-of-${name}`, {
      spec: { csi: { driver: 'rook-ceph.rbd.csi.ceph.com' } },
    }),
  ];
}

export function aRequest(parts: Partial<MaintenanceRequest> = {}): MaintenanceRequest {
  return { node: 'node-x', noDrain: false, force: false, ...parts };
}

/** Ends whoever made the call: as if the process had been killed there. */
export class Killed extends Error {}

/** Three zones with a node and two OSDs each, and a Ceph that follows its pods. */
export class MaintenanceWorld {
  readonly clock = new FakeClock();
  readonly cluster: FakeCluster;
  readonly up = new Set([0, 1, 2, 3, 4, 5]);
  readonly out = new Set<number>();
  readonly noout = new Set<number>();
  readonly evicted: string[] = [];
  /** Pods whose eviction was only tried. */
  readonly rehearsed: string[] = [];
  readonly events: string[] = [];
  /** What the events say. */
  readonly notes: string[] = [];
  /** Why the budgets hold a pod; by its name. */
  readonly holds = new Map<string, string>();
  /** What the server says to the eviction of a pod; by its name. */
  readonly refusals = new Map<string, Error>();
  /** How Ceph is. */
  ceph: 'well' | 'silent' | 'without manager' = 'well';
  flags: readonly string[] = [];
  health = 'HEALTH_OK';
  checks: readonly string[] = [];
  monitors = ['a', 'b', 'c'];
  ranks: readonly MdsRank[] = [];
  /** What Ceph says against stopping metadata servers. */
  keepsServers: string | undefined;
  pools: readonly CephPool[] = [
    { id: 1, name: 'p', size: 3, minSize: 2, crushRule: 0, isErasureCoded: false },
  ];
  /** Whether osd.2 has copies of what is on node-x. */
  sharesData = true;
  /** The OSDs of each group, where that matters. */
  placement: readonly (readonly number[])[] | undefined;
  /** Groups that have all their OSDs, and still copy objects. */
  readonly recovering = new Set<string>();
  readonly #places = new Map<number, string>();
  /** Called before and after each change to the world; what it throws ends whoever makes it. */
  onChange: (when: 'before' | 'after', what: string) => void = () => undefined;

  constructor(...objects: readonly KubeObject[]) {
    const osds = [0, 1, 2, 3, 4, 5];
    this.cluster = new FakeCluster(this.clock.now, [
      ...ZONES.map((zone) => ({
        ...aNode(`node-${zone}`),
        metadata: { ...aNode(`node-${zone}`).metadata, uid: `uid-of-node-${zone}` },
      })),
      aCluster(),
      ...osds.map((id) => anOsd(id, { zone: zoneOf(id), node: nodeOf(id) })),
      ...osds.map((id) => osdPod(id)),
      anObject(Kinds.Pod, 'operator', {
        labels: { app: 'rook-ceph-operator' },
        spec: { nodeName: 'node-z' },
        status: RUNNING,
      }),
      ...objects,
    ]);
  }

  get ports(): MaintenancePorts {
    const { cluster } = this;
    const change = async <T>(what: string, make: () => Promise<T>): Promise<T> => {
      this.onChange('before', what);
      const made = await make();
      this.onChange('after', what);
      return made;
    };
    const reader: MaintenancePorts['reader'] = {
      get: (kind, namespace, name) => cluster.get({ ...kind, namespace, name }),
      list: async (request) => {
        const { items } = await cluster.list(request);
        const fits = parseLabelSelector(request.labelSelector ?? '');
        return { items: items.filter(({ metadata }) => fits(metadata.labels)), gaps: [] };
      },
    };
    const writer = {
      patch: (...[ref, body]: Parameters<typeof cluster.writer.patch>) =>
        change(`patch ${ref.kind}${'subresource' in body && body.subresource ? ' status' : ''}`, () =>
          cluster.writer.patch(ref, body, signal),
        ),
      create: (...[object, options]: Parameters<typeof cluster.writer.create>) =>
        change(`create ${object.kind}`, () => cluster.writer.create(object, options, signal)),
      delete: (...[ref, options]: Parameters<typeof cluster.writer.delete>) =>
        change(`delete ${ref.kind}`, () => cluster.writer.delete(ref, options, signal)),
    };
    const ledgerPorts = { reader, writer, now: this.clock.now };
    return {
      reader,
      writer,
      ledgers: [resourceLedger(ledgerPorts), configMapLedger(ledgerPorts)],
      cephOf: () => this.#cephClient(change),
      clock: this.clock,
      evict: async (pod, { dryRun }) => {
        const message = this.holds.get(pod.metadata.name);
        if (dryRun) this.rehearsed.push(pod.metadata.name);
        if (dryRun) return message === undefined ? { kind: 'evicted' } : { kind: 'held', message };
        return change(`evict ${pod.metadata.name}`, async () => {
          if (message !== undefined) return { kind: 'held', message };
          const refusal = this.refusals.get(pod.metadata.name);
          if (refusal) throw refusal;
          this.evicted.push(pod.metadata.name);
          cluster.drop(refOf(pod));
          const id = Number(pod.metadata.labels?.['ceph-osd-id']);
          if (Number.isInteger(id)) this.up.delete(id);
          return { kind: 'evicted' };
        });
      },
      record: async (object, reason, note) => {
        this.events.push(`${object.kind} ${reason}`);
        this.notes.push(note);
      },
    };
  }

  get commandLedger(): ReturnType<typeof configMapLedger> {
    const { reader, writer } = this.ports;
    return configMapLedger({ reader, writer: writer as never, now: this.clock.now });
  }

  /** One step of a command without a controller. */
  async step(node = 'node-x'): Promise<Advance | undefined> {
    const { ports, commandLedger } = this;
    const found = await commandLedger.find(node, signal);
    if (!found) return undefined;
    const result = await advance(found, commandLedger, new Observer(ports.reader), ports, signal);
    this.live();
    return result;
  }

  /** As many steps as it takes until there is nothing to do at once. */
  async settle(node = 'node-x', steps = 40): Promise<Maintenance | undefined> {
    let last: Maintenance | undefined;
    for (let count = 0; count < steps; count += 1) {
      const result = await this.step(node);
      if (!result || result.kind === 'ended') return undefined;
      last = result.maintenance;
      if (result.afterMs >= 30_000) return last;
      this.clock.jump(result.afterMs);
    }
    return last;
  }

  async start(request: MaintenanceRequest = aRequest()): Promise<Maintenance | undefined> {
    await this.commandLedger.begin(request, signal);
    return this.settle(request.node);
  }

  async stop(node = 'node-x'): Promise<Maintenance | undefined> {
    const found = await this.commandLedger.find(node, signal);
    if (found) await this.commandLedger.stop(found, signal);
    return this.settle(node);
  }

  /** One turn of the controller. */
  async reconcile(name = 'node-x'): Promise<void> {
    const { ports } = this;
    const [ledger] = ports.ledgers;
    if (!ledger) return;
    await maintenanceReconciler({ ...ports, ledger }).reconcile({ ...Kinds.NodeMaintenance, name }, signal);
    this.live();
  }

  /** Scheduler and kubelet: OSDs run where their node takes pods. */
  live(): void {
    for (const id of [0, 1, 2, 3, 4, 5]) {
      const pod = osdPod(id, this.#places.get(id));
      const node = textAt(pod, 'spec', 'nodeName') ?? '';
      if (!this.node(node) || this.isCordoned(node) || this.cluster.at(refOf(pod))) continue;
      this.cluster.put(pod);
      this.up.add(id);
    }
  }

  /** An OSD is on another node of its zone. */
  move(id: number, node: string): void {
    this.#places.set(id, node);
    if (!this.node(node)) this.cluster.put(aNode(node));
    this.cluster.put(anOsd(id, { zone: zoneOf(id), node }));
    this.cluster.put(osdPod(id, node));
  }

  node(name: string): KubeObject | undefined {
    return this.cluster.at({ group: '', kind: 'Node', name });
  }

  isCordoned(name: string): boolean {
    return isTrueAt(this.node(name), 'spec', 'unschedulable');
  }

  cordon(name: string, unschedulable = true): void {
    const node = this.node(name);
    if (node) this.cluster.put({ ...node, spec: unschedulable ? { unschedulable } : {} });
  }

  /** All that a maintenance may change: for comparing ends. */
  get traces(): unknown {
    const nodes = this.cluster.ofKind('/Node').map(({ metadata: { name, labels, annotations }, spec }) => ({
      name,
      labels,
      annotations,
      cordoned: isTrueAt({ spec }, 'spec', 'unschedulable'),
    }));
    const written = [Kinds.ConfigMap, Kinds.NodeMaintenance].flatMap((kind) =>
      this.cluster.ofKind(kindKey(kind)),
    );
    const pods = this.cluster
      .ofKind(kindKey(Kinds.Pod))
      .map((pod) => `${pod.metadata.name} ${textAt(pod, 'spec', 'nodeName') ?? ''}`);
    return {
      nodes,
      noout: [...this.noout].toSorted((a, b) => a - b),
      up: [...this.up].toSorted((a, b) => a - b),
      written,
      pods: pods.sort(),
    };
  }

  #cephClient(change: <T>(what: string, make: () => Promise<T>) => Promise<T>): Ceph {
    const answer = async <T>(value: T): Promise<T> => {
      if (this.ceph === 'silent') throw new CephSilent('no answer');
      return value;
    };
    const ofManager = async <T>(value: T): Promise<T> => {
      if (this.ceph === 'without manager') throw new CephSilent('no answer of the manager');
      return answer(value);
    };
    const id = (name: string): number => Number(name.replace('osd.', ''));
    const ceph: Partial<Ceph> = {
      status: () =>
        answer({
          fsid: '',
          health: this.health,
          checks: this.checks,
          osds: { total: 6, up: 6, in: 6 },
          hasManager: true,
          ranks: this.ranks,
        }),
      quorum: () => answer({ monitors: this.monitors, inQuorum: this.monitors }),
      osdMap: () => answer(this.#osdMap()),
      osdNodes: () => answer(new Map()),
      crushRules: () =>
        answer([{ id: 0, name: 'r', steps: [{ op: 'chooseleaf_firstn', type: 'zone', count: 0 }] }]),
      crushTree: () => answer({ nodes: [], strays: [] }),
      pgMap: () =>
        ofManager({ groups: this.#groups(), reports: new Map([...this.up].map((osd) => [osd, 1])) }),
      flushReports: () => ofManager(new Map([...this.up].map((osd) => [osd, 1]))),
      okToStop: (osds) => ofManager({ isOk: true, osds, notOk: 0 }),
      okToStopServers: () =>
        answer({ isOk: this.keepsServers === undefined, words: this.keepsServers ?? 'safe' }),
      setNoout: (name) =>
        change(`set noout ${name}`, async () => {
          await answer(undefined);
          this.noout.add(id(name));
        }),
      unsetNoout: (name) =>
        change(`unset noout ${name}`, async () => {
          await answer(undefined);
          this.noout.delete(id(name));
        }),
    };
    return ceph as Ceph;
  }

  #osdMap(): OsdMap {
    return {
      epoch: 1,
      crushVersion: 1,
      osds: [0, 1, 2, 3, 4, 5].map((id) => ({
        id,
        isUp: this.up.has(id),
        isIn: !this.out.has(id),
        state: this.noout.has(id) ? ['exists', 'noout'] : ['exists'],
      })),
      pools: this.pools,
      flags: this.flags,
      bucketFlags: new Map(),
    };
  }

  /** A copy in each zone; that of an OSD that is out is on its neighbour. */
  #groups(): readonly PlacementGroup[] {
    const usual = [0, 1, 2, 3].map((at) => [at % 2, this.sharesData ? 2 + (at >> 1) : 3, 4 + (at % 2)]);
    return (this.placement ?? usual).map((osds, at) => {
      const all = osds.map((osd) => (this.out.has(osd) ? osd ^ 1 : osd));
      const acting = all.filter((osd) => this.up.has(osd));
      const whole = this.recovering.has(`1.${at}`) ? 'active+recovering+degraded' : 'active+clean';
      const state = acting.length === all.length ? whole : 'active+undersized+degraded';
      return { id: `1.${at}`, pool: 1, state, acting };
    });
  }
}

function zoneOf(osd: number): string {
  return `zone-${ZONES[Math.floor(osd / 2)] ?? ''}`;
}

function osdPod(id: number, node = nodeOf(id)): KubeObject {
  const pod = anOsdPod(id, { zone: zoneOf(id), node });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'rs', controller: true };
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] }, status: RUNNING };
}
