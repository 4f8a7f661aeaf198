import { cephClient, type Ceph } from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import { disruptionReconciler } from '#pkg/disruption';
import { silentLogger } from '#pkg/log';
import {
  fieldAt,
  keyOf,
  refOf,
  structuredSelector,
  type KubeObject,
  type ObjectKey,
  type Writer,
} from '#pkg/object';
import type { Outcome } from '#pkg/runtime';
import { aCluster } from '#test/fixtures/objects.ts';
import { aNode, anOsd, type OsdParts } from '#test/fixtures/osds.ts';
import { fakeRunner, type Reply } from './ceph-runner.ts';
import { fakeReader } from './reader.ts';

const { signal } = new AbortController();
const REF = { group: 'ceph.rook.io', kind: 'CephCluster', namespace: 'rook-ceph', name: 'rook-ceph' };
export const ZONES = ['x', 'y', 'z'];

/** A cluster of three zones, a node and an OSD in each, and a Ceph that tells what the test wants it to. */
export class DrainWorld {
  readonly objects = new Map<ObjectKey, KubeObject>();
  readonly writes: string[] = [];
  readonly told: string[] = [];
  /** Numbers of OSDs that Ceph calls down. */
  down: readonly number[] = [];
  state = 'active+clean';
  flags: Record<string, readonly string[]> = {};
  /** Over what the rule of the pool spreads copies. */
  type = 'zone';
  isSilent = false;
  /** The monitors answer, and nobody tells how the groups are. */
  isManagerSilent = false;
  /** Whether there is any way to it. */
  hasCeph = true;
  /** Ceph's hierarchy does not say in which zone an OSD is. */
  isFlat = false;
  now = 1_000_000;
  /** Of the monitors a, b and c. */
  inQuorum = ['a', 'b', 'c'];
  /** Called before each question to Ceph. */
  beforeAnswer: (question: string) => void = () => undefined;
  /** Called before each write; what it throws ends the round. */
  beforeWrite: () => void = () => undefined;
  #rounds = disruptionReconciler({
    reader: {
      get: (...args) => fakeReader([...this.objects.values()]).get(...args),
      list: (...args) => fakeReader([...this.objects.values()]).list(...args),
    },
    writer: this.#writer(),
    cephOf: () => (this.hasCeph ? this.#ceph() : undefined),
    record: (object, reason) => {
      this.told.push(`${object.kind}/${object.metadata.name} ${reason}`);
      return Promise.resolve();
    },
    clock: this.#clock(),
    logger: silentLogger,
  });

  constructor(management: object = {}) {
    const cluster = aCluster('rook-ceph', {
      uid: 'cluster',
      spec: { mon: { count: 1 }, mgr: { count: 1 }, disruptionManagement: management },
    });
    this.put(cluster, ...ZONES.map((_, id) => aNode(`node-${id}`)));
    for (const id of ZONES.keys()) this.osd(id, {});
  }

  put(...objects: readonly KubeObject[]): void {
    for (const object of objects) this.objects.set(keyOf(refOf(object)), object);
  }

  osd(id: number, parts: OsdParts): void {
    this.put(anOsd(id, { zone: ZONES[id] ?? '', node: `node-${id}`, ...parts }));
  }

  /** As `kubectl drain` and Ceph after it. */
  drain(id: number): void {
    this.put(aNode(`node-${id}`, { unschedulable: true }));
    this.osd(id, { ready: false });
    this.down = [id];
    this.state = 'active+undersized';
  }

  recover(id: number): void {
    this.put(aNode(`node-${id}`));
    this.osd(id, {});
    this.down = [];
    this.state = 'active+clean';
  }

  round(): Promise<Outcome> {
    return this.#rounds.reconcile(REF, signal);
  }

  budgets(): readonly string[] {
    return [...this.objects.values()]
      .filter(({ kind }) => kind === 'PodDisruptionBudget')
      .map(({ metadata }) => metadata.name)
      .sort();
  }

  /** The budgets that select the pod of an OSD. */
  coverOf(id: number): readonly string[] {
    const osd = this.objects.get(keyOf(refOf(anOsd(id))));
    return [...this.objects.values()]
      .filter(({ kind, spec }) => kind === 'PodDisruptionBudget' && selects(spec, osd))
      .map(({ metadata }) => metadata.name);
  }

  #write(line: string): void {
    this.beforeWrite();
    this.writes.push(line);
  }

  #writer(): Writer {
    const unused = (): never => {
      throw new Error('not used here');
    };
    return {
      create: unused,
      createReview: unused,
      apply: (object) => {
        this.#write(`apply ${object.metadata.name}`);
        const uid = `uid-of-${object.metadata.name}`;
        this.put({ ...object, metadata: { ...object.metadata, uid } });
        return Promise.resolve(object);
      },
      patch: unused,
      delete: (ref) => {
        this.#write(`delete ${ref.name}`);
        return Promise.resolve(this.objects.delete(keyOf(ref)) ? 'deleted' : 'absent');
      },
    };
  }

  #clock(): Clock {
    return {
      now: () => this.now,
      sleep: (ms) => {
        this.now += ms;
        return Promise.resolve();
      },
    };
  }

  #ceph(): Ceph {
    const ceph = cephClient({
      run: (command, stop) => {
        this.beforeAnswer(command.args.join(' '));
        return fakeRunner(this.#replies()).run(command, stop);
      },
    });
    const changed = (bucket: string, flags: readonly string[]): Promise<void> => {
      this.#write(`${flags.length > 0 ? 'set' : 'unset'} noout ${bucket}`);
      this.flags = Object.fromEntries(
        Object.entries({ ...this.flags, [bucket]: flags }).filter(([, set]) => set.length > 0),
      );
      return Promise.resolve();
    };
    return {
      ...ceph,
      setNoout: (bucket) => changed(bucket, ['noout']),
      unsetNoout: (bucket) => changed(bucket, []),
    };
  }

  #replies(): Readonly<Record<string, Reply>> {
    if (this.isSilent) return { ceph: 'silence' };
    const up = ZONES.flatMap((_, id) => (this.down.includes(id) ? [] : [id]));
    const osds = ZONES.map((_, osd) => ({ osd, up: up.includes(osd) ? 1 : 0, in: 1, state: ['exists'] }));
    const pool = { pool: 1, pool_name: 'p', size: 3, min_size: 2, crush_rule: 0, type: 1 };
    const dump = {
      epoch: 1,
      crush_version: this.type === 'zone' ? 1 : 2,
      osds,
      pools: [pool],
      flags_set: [],
      crush_node_flags: this.flags,
    };
    const steps = [{ op: 'chooseleaf_firstn', type: this.type, num: 0 }];
    const nodes = ZONES.flatMap((zone, id) => [
      { id: -2 * id - 1, name: zone, type: 'zone', type_id: 9, children: this.isFlat ? [] : [-2 * id - 2] },
      { id: -2 * id - 2, name: `node-${id}`, type: 'host', type_id: 1, children: [id] },
    ]);
    const groups = [{ pgid: '1.0', state: this.state, acting: up }];
    return {
      'ceph osd dump': { json: dump },
      'ceph osd crush rule dump': { json: [{ rule_id: 0, rule_name: 'r', steps }] },
      'ceph osd tree': { json: { nodes, stray: [] } },
      'ceph quorum_status': {
        json: { quorum_names: this.inQuorum, monmap: { mons: ['a', 'b', 'c'].map((name) => ({ name })) } },
      },
      'ceph tell': { code: 0, stdout: up.map((osd) => `osd.${osd}: 1\n`).join(''), stderr: '' },
      'ceph pg dump': this.isManagerSilent
        ? 'silence'
        : { json: { pg_ready: true, pg_stats: groups, osd_stats: ZONES.map((_, osd) => ({ osd, seq: 1 })) } },
    };
  }
}

function selects(spec: unknown, osd: KubeObject | undefined): boolean {
  return structuredSelector(fieldAt(spec, 'selector'))(osd?.metadata.labels);
}
