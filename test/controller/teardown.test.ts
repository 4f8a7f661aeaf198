import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { ROOK_KINDS } from '#pkg/object';
import { Client } from './client.ts';
import { localInstall, type LocalInstall } from './local-install.ts';
import { blockPool, named, usage } from './objects.ts';
import { claimedVolume, ORDER, rookNamespace } from './rook-namespace.ts';
import { RookStandIn, served } from './rook-operator.ts';

const WAIT = { timeout: 40_000, interval: 100 };
let install: LocalInstall;
let client: Client;
let rook: RookStandIn | undefined;

beforeAll(async () => {
  install = await localInstall({ kinds: ['configmaps'] });
  client = new Client(install.plane);
}, 180_000);

afterEach(async () => {
  await rook?.end();
  rook = undefined;
});

afterAll(() => install?.end());

async function makeNamespace(name: string, ...more: readonly object[]): Promise<RookStandIn> {
  await install.kubectl(['create', 'namespace', name]);
  await install.apply([...rookNamespace(name), ...more]);
  rook = new RookStandIn(client, name);
  return rook;
}

async function rookObjectsIn(namespace: string): Promise<readonly string[]> {
  const kinds = ROOK_KINDS.map(({ plural, group }) => `${plural}.${group}`).join(',');
  const { stdout } = await install.kubectl(['get', kinds, '-n', namespace, '-o', 'name']);
  return stdout.split('\n').filter((line) => line !== '');
}

function expectOrder(gone: readonly string[]): void {
  const broken = ORDER.filter(([first, next]) => gone.indexOf(first) >= gone.indexOf(next));
  expect(broken).toEqual([]);
  for (const name of ORDER.flat()) expect(gone).toContain(name);
  expect(gone.at(-1)).toBe('CephCluster/ceph');
}

const cluster = (namespace: string, ...flags: readonly string[]): readonly string[] => [
  'delete',
  'cephcluster/ceph',
  '-n',
  namespace,
  // There is no Ceph here.
  '--no-ceph',
  ...flags,
];

describe('a whole namespace of Rook', () => {
  test('goes in order, with all 19 kinds', async () => {
    const { gone } = await makeNamespace('whole');
    expect(new Set(rookNamespace('whole').map((object) => (object as { kind: string }).kind)).size).toBe(20);
    const { code, stdout, stderr } = await install.plugin(cluster('whole', '--yes', '--timeout=50s'));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await rookObjectsIn('whole')).toEqual([]);
    expect(gone).toHaveLength(23);
    expectOrder(gone);
    expect(stdout).toContain('cephnfs.ceph.rook.io "nfs" deleted from whole namespace\n');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'cephcluster.ceph.rook.io "ceph" deleted from whole namespace',
    );
  });

  test('with one claim left stops there and says so, and nothing is lost', async () => {
    const { gone } = await makeNamespace('claimed', ...claimedVolume('claimed', 'Delete'));
    const before = await rookObjectsIn('claimed');
    const { code, stdout, stderr } = await install.plugin(cluster('claimed', '--yes'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('User data, kept unless --include-volumes is given:');
    expect(stderr).toContain(
      'PersistentVolume/claimed-volume keeps its data in CephBlockPool/pool (claim claimed/data)',
    );
    expect(stderr).toContain('error: something is in the way, so nothing was deleted');
    expect(await rookObjectsIn('claimed')).toEqual(before);
    expect(gone).toEqual([]);
  });

  test('goes with its claims when asked to, and waits for the driver to remove the volume', async () => {
    const { gone } = await makeNamespace('included', ...claimedVolume('included', 'Delete'));
    const run = install.plugin(cluster('included', '--yes', '--include-volumes', '--timeout=50s'));
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'included' },
    };
    const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'included-volume' } };
    await vi.waitFor(async () => expect(await client.read(claim)).toBeUndefined(), WAIT);
    // Time for some more looks, to which the claim is gone.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(gone).not.toContain('CephBlockPool/pool');
    const awaited = await client.read(volume);
    expect(awaited).toBeDefined();
    expect(awaited?.metadata.deletionTimestamp).toBeUndefined();
    await client.delete(volume);
    const { code, stderr } = await run;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expectOrder(gone);
    expect(await client.read(volume)).toBeUndefined();
  });

  test('does not begin while Ceph does not answer, unless it is left out', async () => {
    await makeNamespace('silent');
    const asked = cluster('silent', '--yes').filter((flag) => flag !== '--no-ceph');
    const { code, stderr } = await install.plugin(asked);
    expect(code).toBe(1);
    expect(stderr).toContain('Not checked, so nothing is safe to delete:');
    expect(stderr).toContain('error: something is in the way, so nothing was deleted');
    expect(await rookObjectsIn('silent')).toHaveLength(23);
  });

  test('goes on where it was interrupted, and tells what is left', async () => {
    const stand = await makeNamespace('interrupted');
    stand.holding.add('CephObjectStore/store');
    const child = spawn(
      join(import.meta.dirname, '../../dist/kubectl-rook_deps'),
      cluster('interrupted', '--yes'),
      {
        env: { PATH: process.env['PATH'], HOME: install.plane.folder, KUBECONFIG: install.plane.kubeconfig },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    const said = text(child.stderr);
    const store = {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephObjectStore',
      metadata: { name: 'store', namespace: 'interrupted' },
    };
    await vi.waitFor(
      async () => expect((await client.read(store))?.metadata.deletionTimestamp).toBeDefined(),
      WAIT,
    );
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(130);
    const report = await said;
    expect(report).toMatch(/error: interrupted: \d+ of 24 objects are gone\nbeing deleted:\n/);
    expect(report).toContain('  cephobjectstore.ceph.rook.io "store" in interrupted namespace\n');
    expect(report).toMatch(
      /not touched:\n(.*\n)* {2}cephcluster.ceph.rook.io "ceph" in interrupted namespace\n/,
    );
    expect(report).toContain('Run the same command again to go on.');

    const late = await install.plugin(cluster('interrupted', '--yes', '--timeout=3s'));
    expect(late.code).toBe(124);
    expect(late.stderr).toContain(
      'waiting for cephobjectstore.ceph.rook.io "store": held by cephobjectstore.ceph.rook.io',
    );
    stand.holding.clear();
    const last = await install.plugin(cluster('interrupted', '--yes', '--timeout=50s'));
    expect(last.code).toBe(0);
    expect(stand.gone).toHaveLength(23);
    expectOrder(stand.gone);
  });

  test('stops at a claim that comes while it is under way', async () => {
    const stand = await makeNamespace('surprised');
    stand.holding.add('CephNVMeOFGateway/gateway');
    const run = install.plugin(cluster('surprised', '--yes', '--timeout=50s'));
    const gateway = {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephNVMeOFGateway',
      metadata: { name: 'gateway', namespace: 'surprised' },
    };
    await vi.waitFor(
      async () => expect((await client.read(gateway))?.metadata.deletionTimestamp).toBeDefined(),
      WAIT,
    );
    await install.apply(claimedVolume('surprised', 'Delete'));
    stand.holding.clear();
    const { code, stderr } = await run;
    expect(code).toBe(1);
    expect(stderr).toContain('PersistentVolume/surprised-volume keeps its data in CephBlockPool/pool');
    expect(stderr).toContain('error: something has come in the way:');
    expect(await client.read(blockPool('surprised', 'pool'))).toBeDefined();
    expect(stand.gone).not.toContain('CephBlockPool/pool');
  });
});

describe('delete', () => {
  test('plans without a change, and prints the plan for programs', async () => {
    await makeNamespace('planned');
    const { code, stdout } = await install.plugin(cluster('planned', '--dry-run=client', '-o', 'json'));
    const plan = JSON.parse(stdout) as { kind: string; levels: { kind: string; name: string }[][] };
    expect({ code, kind: plan.kind }).toEqual({ code: 0, kind: 'DeletionPlan' });
    expect(plan.levels.flat()).toHaveLength(24);
    expect(plan.levels.at(-1)?.map(({ kind }) => kind)).toEqual(['CephCluster']);
    const server = await install.plugin(cluster('planned', '--dry-run=server'));
    expect(server.stdout).toContain(
      'cephnfs.ceph.rook.io "nfs" deleted from planned namespace (server dry run)',
    );
    expect(await rookObjectsIn('planned')).toHaveLength(23);
    const unattended = await install.plugin(cluster('planned'));
    expect(unattended.code).toBe(1);
    expect(unattended.stderr).toContain('error: confirmation required; pass --yes');
    expect(await rookObjectsIn('planned')).toHaveLength(23);
  });

  test('prints a refusal as it is, and leaves the rest', async () => {
    await install.kubectl(['create', 'namespace', 'refused']);
    await install.apply([served(blockPool('refused', 'pool'))]);
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'refuse-pools' },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ['ceph.rook.io'],
              apiVersions: ['*'],
              operations: ['DELETE'],
              resources: ['cephblockpools'],
            },
          ],
        },
        validations: [
          { expression: "oldObject.metadata.namespace != 'refused'", message: 'not on a Friday' },
        ],
      },
    };
    const binding = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'refuse-pools' },
      spec: { policyName: 'refuse-pools', validationActions: ['Deny'] },
    };
    await install.apply([policy, binding]);
    await vi.waitFor(async () => {
      const probe = await client.delete(blockPool('refused', 'pool'), { query: 'dryRun=All' });
      expect(probe.message).toContain('not on a Friday');
    }, WAIT);
    const { code, stderr } = await install.plugin([
      'delete',
      'cephbp/pool',
      '-n',
      'refused',
      '--yes',
      '--no-ceph',
    ]);
    await install.kubectl(['delete', 'validatingadmissionpolicybinding/refuse-pools']);
    expect(code).toBe(1);
    expect(stderr).toContain('The cephblockpools "pool" is invalid');
    expect(stderr).toContain('not on a Friday');
    expect(stderr).toContain('error: a deletion was refused: 0 of 1 objects are gone');
    expect((await client.read(blockPool('refused', 'pool')))?.metadata.deletionTimestamp).toBeUndefined();
  });
});

// Last: from here on the controller is at work.
describe('where rook-deps is at work', () => {
  beforeAll(async () => {
    await install.route(await install.start());
  }, 60_000);

  test('a protection is in the way, and then is not', async () => {
    const stand = await makeNamespace('protected');
    const pool = blockPool('protected', 'rgw-pool');
    const held = usage('protected', 'held', { of: named(pool), reason: 'payments' });
    await client.create(held);
    await vi.waitFor(async () => {
      const labels = (await client.read(pool))?.metadata.labels;
      expect(labels?.['rook-deps.io/in-use']).toBe('true');
    }, WAIT);
    const { code, stderr } = await install.plugin(cluster('protected', '--yes'));
    expect(code).toBe(1);
    expect(stderr).toContain('RD039  Usage/held protects CephBlockPool/rgw-pool (payments)');
    expect(stand.gone).toEqual([]);
    await install.plugin(['unprotect', 'cephbp/rgw-pool', '-n', 'protected']);
    await vi.waitFor(async () => expect(await client.read(held)).toBeUndefined(), WAIT);
    const last = await install.plugin(cluster('protected', '--yes', '--timeout=50s'));
    expect({ code: last.code, stderr: last.stderr }).toMatchObject({ code: 0 });
    expectOrder(stand.gone);
  });

  test('what a usage says goes first, goes first', async () => {
    const stand = await makeNamespace('using');
    const [used, using] = [
      {
        apiVersion: 'ceph.rook.io/v1',
        kind: 'CephObjectRealm',
        metadata: { name: 'realm', namespace: 'using' },
      },
      {
        apiVersion: 'ceph.rook.io/v1',
        kind: 'CephRBDMirror',
        metadata: { name: 'rbd-mirror', namespace: 'using' },
      },
    ];
    const held = usage('using', 'held', { of: named(used), by: named(using) });
    await client.create(held);
    await vi.waitFor(async () => {
      expect((await client.read(used))?.metadata.labels?.['rook-deps.io/in-use']).toBe('true');
    }, WAIT);
    const { code, stderr } = await install.plugin(cluster('using', '--yes', '--timeout=50s'));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expectOrder(stand.gone);
    expect(stand.gone.indexOf('CephRBDMirror/rbd-mirror')).toBeLessThan(
      stand.gone.indexOf('CephObjectRealm/realm'),
    );
    expect(await client.read(held)).toBeUndefined();
  });
});
