import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fieldAt, isTrueAt, Kinds, listAt, textAt, type KubeObject } from '#pkg/object';
import { served } from '#test/fixtures/served-objects.ts';
import { startCeph, THREE_ZONES, type CephCluster } from '../../scripts/ceph/index.ts';
import { run, type Finished } from '../../scripts/controlplane/index.ts';
import { Client, type Target } from '../controller/client.ts';
import { localInstall, type LocalInstall, type Replica } from '../controller/local-install.ts';
import { namespace } from '../controller/objects.ts';
import { describeOnCeph } from './ceph.ts';
import { Coupling } from './coupling.ts';
import { Workloads } from './workloads.ts';

const LONG = { timeout: 600_000 };
const WAIT = { timeout: 90_000, interval: 250 };
const KILLS = 20;
interface Moment {
  readonly phase: string;
  readonly withinMs: number;
}
const START_MOMENTS: readonly Moment[] = [
  { phase: 'Pending', withinMs: 500 },
  { phase: 'Running', withinMs: 500 },
  { phase: 'Draining', withinMs: 500 },
  { phase: 'Draining', withinMs: 3000 },
  { phase: 'Draining', withinMs: 6000 },
];
const STOP_MOMENTS: readonly Moment[] = Array.from({ length: 5 }, () => ({
  phase: 'Recovering',
  withinMs: 3000,
}));
const EXECUTABLE = join(import.meta.dirname, '../../dist/kubectl-rook_deps');
const LEDGER = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'rook-deps-maintenance', namespace: 'kube-system' },
};
const resource = {
  apiVersion: 'rook-deps.io/v1alpha1',
  kind: 'NodeMaintenance',
  metadata: { name: 'node-a' },
  spec: { nodeName: 'node-a' },
};
/** Of another operator, on node-a. */
function foreignLease(): Target & { readonly spec: object } {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'node-node-a', namespace: 'medik8s-leases' },
    spec: { holderIdentity: 'node-maintenance', leaseDurationSeconds: 3600, renewTime },
  };
}

/** All rights on maintenances, and none on nodes. */
function maintainer(name: string): readonly object[] {
  const [apiGroup, resources] = [
    'rbac.authorization.k8s.io',
    ['nodemaintenances', 'nodemaintenances/status'],
  ];
  const head = { apiVersion: `${apiGroup}/v1`, metadata: { name: `maintainer-${name}` } };
  return [
    { ...head, kind: 'ClusterRole', rules: [{ apiGroups: ['rook-deps.io'], resources, verbs: ['*'] }] },
    {
      ...head,
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup, kind: 'ClusterRole', name: head.metadata.name },
      subjects: [{ apiGroup, kind: 'User', name }],
    },
  ];
}

const { signal } = new AbortController();

/** Which zones are short of OSDs at the same time, as often as one can look. */
class ZoneWatch {
  /** Names joined by a comma; empty when all are there. */
  readonly seen = new Set<string>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(ceph: CephCluster) {
    this.#running = this.#run(ceph);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(ceph: CephCluster): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const down = THREE_ZONES.filter((_, id) => !ceph.isOsdRunning(id)).map(({ zone }) => zone);
      this.seen.add([...new Set(down)].join());
      await sleep(20);
    }
  }
}

describeOnCeph('maintenance, with OSDs that are real processes', () => {
  let ceph: CephCluster;
  let install: LocalInstall;
  let client: Client;
  let coupling: Coupling;
  let workloads: Workloads;
  let before: unknown;

  beforeAll(async () => {
    [ceph, install] = await Promise.all([startCeph({ downOutSeconds: 600 }), localInstall({ kinds: [] })]);
    client = new Client(install.plane);
    coupling = new Coupling(client, ceph, THREE_ZONES);
    workloads = new Workloads(client);
    await client.create(namespace('rook-ceph'));
    await client.create(served(Kinds.CephCluster, 'rook-ceph', 'rook-ceph') as never);
    await coupling.start();
    await workloads.start();
    await workloads.deploy('rook-ceph-operator', { namespace: 'rook-ceph', node: 'node-c' });
    await workloads.claim('data', 'shop');
    await workloads.deploy('db', { namespace: 'shop', node: 'node-a', claim: 'data' });
    await workloads.deploy('web', { namespace: 'shop', node: 'node-a' });
    await untilWhole();
    before = await traces();
  });

  afterAll(async () => {
    await workloads?.end();
    await coupling?.end();
    await Promise.all([install?.end(), ceph?.stop()]);
  });

  const node = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

  function environment(): Record<string, string> {
    const { kubeconfig, folder } = install.plane;
    return { KUBECONFIG: kubeconfig, HOME: folder, PATH: process.env['PATH'] ?? '' };
  }

  function maintenance(...args: readonly string[]): Promise<Finished> {
    return command('maintenance', ...args);
  }

  function command(...args: readonly string[]): Promise<Finished> {
    const words = [...args, '--ceph-conf', ceph.conf];
    return run(EXECUTABLE, words, { env: environment() }, AbortSignal.timeout(110_000));
  }

  /** A command that runs on its own. */
  function started(args: readonly string[]): {
    says(what: RegExp): Promise<void>;
    interrupt(): void;
    readonly ended: Promise<{ readonly code: unknown; readonly stderr: string }>;
  } {
    const words = ['maintenance', ...args, '--ceph-conf', ceph.conf];
    const child = spawn(EXECUTABLE, words, { stdio: ['ignore', 'ignore', 'pipe'], env: environment() });
    let stderr = '';
    child.stderr.on('data', (piece) => (stderr += String(piece)));
    return {
      says: (what) => vi.waitFor(() => expect(stderr).toMatch(what), WAIT),
      interrupt: () => void child.kill('SIGINT'),
      ended: once(child, 'close').then(([code]: readonly unknown[]) => ({ code, stderr })),
    };
  }

  /** Runs a command until it says this, and then presses Ctrl-C. */
  async function interrupted(
    args: readonly string[],
    said: RegExp,
  ): Promise<{ readonly code: unknown; readonly stderr: string }> {
    const command = started(args);
    await command.says(said);
    command.interrupt();
    return command.ended;
  }

  async function pods(): Promise<readonly KubeObject[]> {
    const { body } = await client.send('GET', '/api/v1/pods', undefined);
    return listAt(body, 'items') as readonly KubeObject[];
  }

  async function flags(): Promise<readonly number[]> {
    const { osds } = await ceph.ceph.osdMap(signal);
    return osds.filter(({ state }) => state.includes('noout')).map(({ id }) => id);
  }

  async function isCordoned(name: string): Promise<boolean> {
    return isTrueAt(await client.read(node(name)), 'spec', 'unschedulable');
  }

  /** All that could be left over. */
  async function traces(): Promise<unknown> {
    const nodes = await Promise.all(
      coupling.nodes.map(async (name) => {
        const { metadata, spec } = (await client.read(node(name))) ?? node(name);
        const { labels, annotations, finalizers } = metadata;
        return { name, labels, annotations, finalizers, spec };
      }),
    );
    const { body } = await client.send('GET', '/apis/rook-deps.io/v1alpha1/nodemaintenances', undefined);
    const { flags: all, bucketFlags } = await ceph.ceph.osdMap(signal);
    return {
      nodes,
      ledger: await client.read(LEDGER),
      maintenances: listAt(body, 'items').length,
      noout: await flags(),
      flags: all,
      buckets: [...bucketFlags],
      running: THREE_ZONES.map((_, id) => ceph.isOsdRunning(id)),
    };
  }

  /** Kubernetes takes its own taints off a moment later. */
  async function untilAsBefore(): Promise<void> {
    await vi.waitFor(async () => expect(await traces()).toEqual(before), { timeout: 20_000, interval: 250 });
  }

  async function untilWhole(): Promise<void> {
    await vi.waitFor(async () => {
      const ready = (await pods()).filter((pod) => textAt(pod, 'status', 'phase') === 'Running');
      expect(ready).toHaveLength(9);
    }, WAIT);
    await ceph.untilClean();
  }

  async function phase(name = 'node-a'): Promise<string> {
    const { stdout } = await maintenance('status', name, '-o', 'json');
    return stdout ? (textAt(JSON.parse(stdout), 'status', 'phase') ?? '') : '';
  }

  async function entry(name = 'node-a'): Promise<unknown> {
    const text = fieldAt(await client.read(LEDGER), 'data', name);
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  }

  describe('without a controller', () => {
    test('a node is drained in order, powered off, and brought back as it was', LONG, async () => {
      const asked = await maintenance('start', 'node-a', '--dry-run=server');
      expect(asked.code).toBe(0);
      expect(asked.stderr).toContain('noout will be set on osd.0 and osd.1 of zone zone-x');
      expect(asked.stdout).toContain('node/node-a cordoned (server dry run)');
      await untilAsBefore();

      const started = await maintenance('start', 'node-a', '--yes', '--reason', 'new disk', '--wait');
      expect(started).toMatchObject({ code: 0 });
      expect(started.stdout).toContain('node/node-a in maintenance: drained: the node can be powered off');
      expect(await flags()).toEqual([0, 1]);
      expect(await isCordoned('node-a')).toBe(true);
      expect([0, 1].map((id) => ceph.isOsdRunning(id))).toEqual([false, false]);
      const here = (await pods()).filter((pod) => textAt(pod, 'spec', 'nodeName') === 'node-a');
      expect(here).toEqual([]);
      const shown = await maintenance('status');
      expect(shown.stdout).toMatch(
        /^node-a +Ready +new disk +\d+s +osd\.0,osd\.1 +2\/2 +\d+ active\+.* +0 +<none>$/m,
      );

      const told = (await command('why', 'node/node-a')).stdout;
      expect(told).toMatch(/^ {2}Phase: +Ready$/m);
      expect(told).toMatch(/^ {2}Asked for by: +\S+$/m);
      expect(told).toMatch(/^ {2}Reason: +new disk$/m);
      expect(told).toContain('kubectl rook-deps maintenance stop node-a');
      expect(told).not.toContain('kubectl uncordon');
      expect((await command('why', 'node/node-b')).stdout).toMatch(
        /^ {2}node node-a of zone zone-x: Ready, for \d+s, asked for by \S+: new disk$/m,
      );

      // Another zone must stay, whoever asks.
      const second = await maintenance('start', 'node-b', '--yes');
      expect(second.code).toBe(1);
      expect(second.stderr).toContain('node node-a of zone zone-x is in maintenance');
      expect(second.stderr).toContain('placement groups would serve no more');
      const forced = await maintenance('start', 'node-b', '--yes', '--force');
      expect(forced.code).toBe(1);
      expect(await isCordoned('node-b')).toBe(false);

      coupling.powerOff('node-a');
      await vi.waitFor(async () => {
        const [condition] = listAt(await client.read(node('node-a')), 'status', 'conditions');
        expect(textAt(condition, 'status')).toBe('False');
      }, WAIT);
      expect(await phase()).toBe('Ready');
      coupling.powerOn('node-a');

      const stopping = maintenance('stop', 'node-a', '--wait');
      await vi.waitFor(async () => expect(textAt(await entry(), 'status', 'phase')).toBe('Recovering'), WAIT);
      expect(await stopping).toMatchObject({ code: 0, stdout: 'node/node-a out of maintenance\n' });
      await untilWhole();
      await untilAsBefore();
      const none = await maintenance('status', 'node-a');
      expect(none).toMatchObject({ code: 1, stderr: 'error: node "node-a" is not in maintenance\n' });
    });

    test(
      'killed at 20 random moments and resumed, it comes to the same end, with nothing left over',
      LONG,
      async () => {
        const seen: string[] = [];
        /** Ends the command a while after it has come to a phase; false when it was done before. */
        const killed = async (verb: 'start' | 'stop', when: Moment): Promise<boolean> => {
          const args = ['maintenance', verb, 'node-a', '--yes', '--ceph-conf', ceph.conf];
          const child = spawn(EXECUTABLE, args, { stdio: 'ignore', env: environment() });
          const ended = once(child, 'exit');
          const has = async (): Promise<boolean> => textAt(await entry(), 'status', 'phase') === when.phase;
          while (child.exitCode === null && !(await has())) await sleep(50);
          await Promise.race([ended, sleep(randomInt(50, when.withinMs))]);
          if (child.exitCode !== null) return false;
          child.kill('SIGKILL');
          await ended;
          const left = await entry();
          seen.push(left ? `${verb} ${textAt(left, 'status', 'phase') ?? ''}` : `${verb} nothing`);
          return true;
        };
        while (seen.length < KILLS) {
          for (const moment of START_MOMENTS) if (!(await killed('start', moment))) break;
          const started = await maintenance('start', 'node-a', '--yes');
          expect(started).toMatchObject({ code: 0 });
          expect(await flags()).toEqual([0, 1]);
          expect((await pods()).filter((pod) => textAt(pod, 'spec', 'nodeName') === 'node-a')).toEqual([]);
          for (const moment of STOP_MOMENTS) {
            if (!(await killed('stop', moment))) break;
            if (!(await client.read(LEDGER))) break;
          }
          const stopped = await maintenance('stop', 'node-a');
          expect(stopped.code === 0 || stopped.stderr.includes('is not in maintenance')).toBe(true);
          await untilWhole();
          await untilAsBefore();
        }
        expect(seen.length).toBeGreaterThanOrEqual(KILLS);
        const phases = ['start Pending', 'start Running', 'start Draining', 'stop Recovering'];
        expect(seen).toEqual(expect.arrayContaining(phases));
      },
    );

    test('a cordon and a noout of others stay, and a manager that dies stops evictions', LONG, async () => {
      await client.patch(node('node-a'), { spec: { unschedulable: true } });
      await ceph.ceph.setNoout('osd.1', signal);
      const budget = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'web', namespace: 'shop' },
        spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'web' } } },
      };
      await client.create(budget);
      const held = await interrupted(['start', 'node-a', '--yes'], /Draining.*shop\/web holds pod web-/);
      expect(held.stderr).toContain('that does not change by itself');
      expect(held).toMatchObject({ code: 130 });
      expect(held.stderr).toContain('To go back: kubectl rook-deps maintenance stop node-a');
      expect(await phase()).toBe('Draining');

      await ceph.killManager();
      await client.delete(budget);
      const silent = await interrupted(['start', 'node-a', '--yes'], /Ceph .*does not (answer|tell)/);
      expect(silent.code).toBe(130);
      const web = (await pods()).filter(({ metadata }) => metadata.name.startsWith('web-'));
      expect(web.map((pod) => textAt(pod, 'spec', 'nodeName'))).toEqual(['node-a']);
      expect([0, 1].map((id) => ceph.isOsdRunning(id))).toEqual([true, true]);
      ceph.startManager();
      expect(await maintenance('start', 'node-a', '--yes')).toMatchObject({ code: 0 });
      expect(await maintenance('stop', 'node-a')).toMatchObject({ code: 0 });
      expect(await isCordoned('node-a')).toBe(true);
      expect(await flags()).toEqual([1]);
      await ceph.ceph.unsetNoout('osd.1', signal);
      await client.patch(node('node-a'), { spec: { unschedulable: null } });
      await untilWhole();
    });

    test('nodes of two zones go one after the other, each when it is safe', LONG, async () => {
      const selector = 'kubernetes.io/hostname in (node-a,node-b)';
      const watch = new ZoneWatch(ceph);
      const rolling = started(['start', '-l', selector, '--rolling', '--yes', '--timeout', '90s']);
      await rolling.says(/Do your work on node-a/);
      const [stopped] = await Promise.all([
        maintenance('stop', 'node-a'),
        rolling.says(/Do your work on node-b/),
      ]);
      expect(stopped).toMatchObject({ code: 0 });
      expect([await isCordoned('node-a'), await isCordoned('node-b')]).toEqual([false, true]);
      expect(await flags()).toEqual([2, 3]);
      expect(await maintenance('stop', 'node-b')).toMatchObject({ code: 0 });
      const { code, stderr } = await rolling.ended;
      expect([code, stderr]).toEqual([0, expect.stringContaining('2  zone zone-y: node-b')]);
      await watch.end();
      expect(watch.seen).toEqual(new Set(['', 'zone-x', 'zone-y']));
      await untilAsBefore();
    });

    test(
      'a NodeMaintenance that no controller lives for is done and taken back by the command',
      LONG,
      async () => {
        const quick = { ...resource, spec: { nodeName: 'node-a', noDrain: true } };
        expect((await client.create(quick)).status).toBe(201);
        const { code, stderr } = await maintenance('start', 'node-a');
        const warning = 'Warning: no controller is running that would carry the maintenance out';
        expect([code, stderr]).toEqual([0, expect.stringContaining(warning)]);
        expect(await client.read(resource)).toMatchObject({
          metadata: { finalizers: ['rook-deps.io/maintenance'] },
          status: { phase: 'Succeeded', cordon: 'set' },
        });
        expect(await flags()).toEqual([0, 1]);
        await install.apply(maintainer('mallory'));
        await vi.waitFor(async () => {
          const change = { status: { cordon: null } };
          const refused = await client.patch(resource, change, { as: 'mallory', subresource: 'status' });
          expect([refused.status, refused.message]).toEqual([
            403,
            expect.stringContaining('only the controller of rook-deps writes the status of its kinds'),
          ]);
        }, WAIT);
        expect(await maintenance('stop', 'node-a')).toMatchObject({ code: 0 });
        await untilAsBefore();
      },
    );

    test(
      'another operator that holds the node is not disturbed, and wrong words are explained',
      LONG,
      async () => {
        await client.create(namespace('medik8s-leases'));
        const lease = foreignLease();
        await client.create(lease);
        const refused = await maintenance('start', 'node-a', '--yes');
        expect(refused.code).toBe(1);
        expect(refused.stderr).toContain('"node-maintenance" holds the lease medik8s-leases/node-node-a');
        await client.delete(lease);
        expect((await maintenance('start', 'node-aa', '--yes')).stderr).toContain(
          'Did you mean this?\n\tnode-a',
        );
        const deployment = await maintenance('start', 'rook-ceph-osd-0', '--yes');
        expect(deployment.stderr).toContain(
          'is a Deployment, and maintenance is for whole nodes; its pod runs on node-a',
        );
        await untilAsBefore();
      },
    );
  });

  describe('with the controller', () => {
    let replica: Replica;
    beforeAll(async () => {
      replica = await install.start(['--ceph-conf', ceph.conf]);
      await install.route(replica);
    });

    afterAll(async () => {
      if (process.env['SHOW_LOG'] && replica) process.stderr.write(await readFile(replica.log, 'utf8'));
    });

    test(
      'a resource is made and followed, through budgets, and its deletion takes all back',
      LONG,
      async () => {
        const started = await maintenance('start', 'node-a', '--yes', '--wait', '--duration', '2h');
        expect(started).toMatchObject({ code: 0 });
        expect(started.stdout).toContain('nodemaintenance.rook-deps.io/node-a created');
        const object = await client.read(resource);
        expect(object?.['status']).toMatchObject({
          phase: 'Ready',
          summary: { noout: 'osd.0,osd.1', osds: '2/2' },
          prior: { cordoned: false },
        });
        expect(await client.read(LEDGER)).toBeUndefined();
        expect(await flags()).toEqual([0, 1]);
        const events = await client.send(
          'GET',
          '/apis/events.k8s.io/v1/namespaces/default/events',
          undefined,
        );
        const reasons = listAt(events.body, 'items').map((one) => textAt(one, 'reason'));
        expect(reasons).toContain('MaintenanceReady');

        const stopped = await maintenance('stop', 'node-a', '--wait');
        expect(stopped).toMatchObject({ code: 0 });
        await untilWhole();
        await untilAsBefore();
      },
    );

    test('the controller is killed at every turn, and comes to the same end', LONG, async () => {
      expect((await client.create(resource)).status).toBe(201);
      const round = async (): Promise<void> => {
        await sleep(randomInt(500, 3000));
        await install.stop(replica, 'SIGKILL');
        replica = await install.start(['--ceph-conf', ceph.conf]);
        await install.route(replica);
      };
      for (let rounds = 0; rounds < 2; rounds += 1) await round();
      await vi.waitFor(
        async () => expect(textAt(await client.read(resource), 'status', 'phase')).toBe('Ready'),
        WAIT,
      );
      expect((await client.delete(resource)).status).toBe(200);
      await round();
      await vi.waitFor(async () => expect(await client.read(resource)).toBeUndefined(), WAIT);
      await untilWhole();
      await untilAsBefore();
    });

    test(
      'only those may ask for it who could do it by hand, for nodes that exist, one for a node',
      LONG,
      async () => {
        await install.apply(maintainer('eve'));
        await vi.waitFor(async () => {
          const { status, message } = await client.create(resource, { as: 'eve' });
          expect([status, message]).toEqual([403, expect.stringContaining('cannot patch nodes "node-a"')]);
        }, WAIT);
        const ghost = { ...resource, metadata: { name: 'ghost' }, spec: { nodeName: 'ghost' } };
        expect((await client.create(ghost)).message).toContain('nodes "ghost" not found');
        const other = { ...resource, metadata: { name: 'second' } };
        expect((await client.create(other)).message).toContain('must bear the name of its node');
        const long = { ...resource, spec: { nodeName: 'node-a', duration: 'soon' } };
        expect((await client.create(long)).status).toBe(422);
        await untilAsBefore();
      },
    );

    test(
      'status tells what is waited for, before it begins, while it is held, and on the way back',
      LONG,
      async () => {
        const shows = (wanted: string, words: string): Promise<void> =>
          vi.waitFor(async () => {
            const { stdout } = await maintenance('status', 'node-a', '-o', 'json');
            expect(stdout).toContain(`"phase": "${wanted}"`);
            expect(textAt(JSON.parse(stdout), 'status', 'message')).toContain(words);
          }, WAIT);
        await client.create(namespace('medik8s-leases'));
        const lease = foreignLease();
        await client.create(lease);
        const still = { ...resource, spec: { nodeName: 'node-a', noDrain: true } };
        expect((await client.create(still)).status).toBe(201);
        await shows('Pending', '"node-maintenance" holds the lease medik8s-leases/node-node-a');
        expect(await isCordoned('node-a')).toBe(false);
        await client.delete(lease);
        await shows('Succeeded', 'pods stay where they are, as was asked');
        await client.patch(node('node-a'), { spec: { unschedulable: null } });
        await shows('Running', 'somebody has uncordoned the node');
        await ceph.killManager();
        expect(await maintenance('stop', 'node-a', '--wait=false')).toMatchObject({ code: 0 });
        await shows('Recovering', 'Ceph does not tell how its placement groups are');
        expect(await flags()).toEqual([0, 1]);
        ceph.startManager();
        await untilAsBefore();
      },
    );

    test('the controller may do nothing to a node but cordon it', LONG, async () => {
      const as = 'system:serviceaccount:rook-deps-system:rook-deps-controller';
      const taint = { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } };
      const refused = await client.patch(node('node-b'), taint, { as });
      expect([refused.status, refused.message]).toEqual([
        403,
        expect.stringContaining('rook-deps changes nothing of a node but whether it takes pods'),
      ]);
      expect(
        (await client.patch(node('node-b'), { metadata: { annotations: { a: 'b' } } }, { as })).status,
      ).toBe(403);
      expect((await client.patch(node('node-b'), { spec: { unschedulable: true } }, { as })).status).toBe(
        200,
      );
      await client.patch(node('node-b'), { spec: { unschedulable: null } });
    });
  });
});
