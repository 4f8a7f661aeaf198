import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Kinds, listAt, textAt, type KubeObject } from '#pkg/object';
import { served } from '#test/fixtures/served-objects.ts';
import { startCeph, THREE_ZONES, type CephCluster } from '../../scripts/ceph/index.ts';
import { run } from '../../scripts/controlplane/index.ts';
import { Client } from '../controller/client.ts';
import { localInstall, type LocalInstall, type Replica } from '../controller/local-install.ts';
import { namespace } from '../controller/objects.ts';
import { BudgetFilm } from './budget-film.ts';
import { describeOnCeph } from './ceph.ts';
import { Coupling } from './coupling.ts';

const LONG = { timeout: 400_000 };
const WAIT = { timeout: 90_000, interval: 250 };
const DEFAULT = 'rook-ceph-osd';
const BLOCKING = ['rook-ceph-osd-zone-zone-y', 'rook-ceph-osd-zone-zone-z'];
const { signal } = new AbortController();

describeOnCeph('drains, with OSDs that are real processes', () => {
  let ceph: CephCluster;
  let install: LocalInstall;
  let client: Client;
  let coupling: Coupling;
  let replica: Replica;

  beforeAll(async () => {
    [ceph, install] = await Promise.all([startCeph({ downOutSeconds: 15 }), localInstall({ kinds: [] })]);
    client = new Client(install.plane);
    coupling = new Coupling(client, ceph, THREE_ZONES);
    await client.create(namespace('rook-ceph'));
    await client.create(served(Kinds.CephCluster, 'rook-ceph', 'rook-ceph') as never);
    await coupling.start();
    replica = await install.start(['--ceph-conf', ceph.conf]);
  });

  afterAll(async () => {
    if (process.env['SHOW_LOG'] && replica) process.stderr.write(await readFile(replica.log, 'utf8'));
    await coupling?.end();
    await Promise.all([install?.end(), ceph?.stop()]);
  });

  const cluster = {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephCluster',
    metadata: { name: 'rook-ceph', namespace: 'rook-ceph' },
  };

  async function budgets(): Promise<readonly KubeObject[]> {
    const path = '/apis/policy/v1/namespaces/rook-ceph/poddisruptionbudgets';
    return listAt((await client.send('GET', path, undefined)).body, 'items') as readonly KubeObject[];
  }

  async function osdBudgetNames(): Promise<readonly string[]> {
    const names = (await budgets()).map(({ metadata }) => metadata.name);
    return names.filter((name) => name.startsWith(DEFAULT)).sort();
  }

  async function noout(): Promise<readonly string[]> {
    return [...(await ceph.ceph.osdMap(signal)).bucketFlags.keys()];
  }

  async function untilQuiet(): Promise<void> {
    await vi.waitFor(async () => {
      expect(await osdBudgetNames()).toEqual([DEFAULT]);
      const found = (await budgets()).find(({ metadata }) => metadata.name === DEFAULT);
      expect(found?.['status']).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 6 });
      expect(await noout()).toEqual([]);
    }, WAIT);
  }

  function kubectl(...args: readonly string[]): ReturnType<typeof run> {
    const { kubeconfig, binaries, folder } = install.plane;
    const env = { KUBECONFIG: kubeconfig, HOME: folder, PATH: process.env['PATH'] };
    return run(binaries.kubectl, args, { env }, AbortSignal.timeout(110_000));
  }

  const drain = (node: string, timeout: string): ReturnType<typeof run> =>
    kubectl('drain', node, '--ignore-daemonsets', '--delete-emptydir-data', `--timeout=${timeout}`);

  test(
    'the example of the design: one zone drains, the others hold, and all is as before',
    LONG,
    async () => {
      await untilQuiet();
      const film = new BudgetFilm(client, THREE_ZONES);
      onTestFinished(() => film.end());
      const drained = await drain('node-a', '100s');
      expect(drained.stdout).toContain('node/node-a drained');
      await vi.waitFor(async () => {
        expect(await osdBudgetNames()).toEqual(BLOCKING);
        expect(await noout()).toEqual(['zone-x']);
      }, WAIT);
      expect([0, 1].map((id) => ceph.isOsdRunning(id))).toEqual([false, false]);

      const refused = await drain('node-b', '7s');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget");
      expect([2, 3].map((id) => ceph.isOsdRunning(id))).toEqual([true, true]);
      await kubectl('uncordon', 'node-b');

      await kubectl('uncordon', 'node-a');
      await untilQuiet();
      await film.end();

      const other = THREE_ZONES.flatMap(({ zone }, id) => (zone === 'zone-x' ? [] : [id]));
      for (const { covering } of film.frames) {
        for (const id of other) expect(covering[id]).toBeGreaterThanOrEqual(1);
        for (const id of [0, 1]) expect(covering[id]).toBeLessThanOrEqual(1);
      }
      expect(film.story[0]).toBe(DEFAULT);
      expect(film.story).toContain(BLOCKING.join(' '));
      expect(film.story.at(-1)).toBe(DEFAULT);
    },
  );

  test(
    'a manager that dies during a drain: nothing is given back until it tells how the data is',
    LONG,
    async () => {
      await untilQuiet();
      const drained = await drain('node-c', '100s');
      expect(drained.stdout).toContain('node/node-c drained');
      const held = ['rook-ceph-osd-zone-zone-x', 'rook-ceph-osd-zone-zone-y'];
      await vi.waitFor(async () => expect(await osdBudgetNames()).toEqual(held), WAIT);
      await ceph.killManager();
      await kubectl('uncordon', 'node-c');
      await vi.waitFor(async () => {
        const { osds } = await ceph.ceph.osdMap(signal);
        expect(osds.every(({ isUp }) => isUp)).toBe(true);
      }, WAIT);
      const refused = await drain('node-a', '15s');
      expect(refused.code).toBe(1);
      expect(await osdBudgetNames()).toEqual(held);
      await kubectl('uncordon', 'node-a');
      ceph.startManager();
      await untilQuiet();
    },
  );

  test(
    'a dead OSD is left out once its data is safe; no noout, and other nodes may be drained',
    LONG,
    async () => {
      await untilQuiet();
      await coupling.break(5);
      await vi.waitFor(async () => {
        const found = (await budgets()).find(({ metadata }) => metadata.name === DEFAULT);
        const expressions = listAt(found, 'spec', 'selector', 'matchExpressions');
        expect(expressions.map((one) => textAt(one, 'operator'))).toEqual(['In', 'NotIn']);
        expect(expressions[1]).toMatchObject({ key: 'osd', values: ['5'] });
        expect(await noout()).toEqual([]);
      }, WAIT);
      const drained = await drain('node-b', '100s');
      expect(drained.stdout).toContain('node/node-b drained');
      await kubectl('uncordon', 'node-b');
      coupling.mend(5);
      await kubectl('uncordon', 'node-c');
      await ceph.output('ceph', ['osd', 'in', '5']);
      await untilQuiet();
    },
  );

  test('14.7 Rook told to protect: nothing of ours is left, and back again everything is', LONG, async () => {
    await untilQuiet();
    await client.patch(cluster, { spec: { disruptionManagement: { managePodBudgets: true } } });
    const state = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'rook-deps-disruption', namespace: 'rook-ceph' },
    };
    await vi.waitFor(async () => {
      expect(await client.read(state)).toBeUndefined();
      const ours = (await budgets()).filter(({ metadata }) => metadata.labels !== undefined);
      expect(ours).toEqual([]);
    }, WAIT);
    expect(await osdBudgetNames()).toEqual([DEFAULT]);
    await client.patch(cluster, { spec: { disruptionManagement: { managePodBudgets: false } } });
    await untilQuiet();
    await vi.waitFor(async () => expect(await client.read(state)).toBeDefined(), WAIT);
  });
});
