import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { compareText, Kinds, ROOK_KINDS } from '#pkg/object';
import type { DependencyReport } from '#pkg/verdict';
import { served, servedVolume } from '../fixtures/served-objects.ts';
import { marker, requestsSince } from './audit-log.ts';
import {
  apply,
  controlPlane,
  describeOnCluster,
  freshNamespace,
  kubectl,
  runPlugin,
} from './control-plane.ts';
import { everyRookKind } from './every-kind.ts';
import { restrictedKubeconfig } from './restricted-user.ts';

const RBD = 'rook-ceph.rbd.csi.ceph.com';

async function ask(args: readonly string[], kubeconfig?: string): Promise<DependencyReport> {
  const { code, stdout, stderr } = await runPlugin([...args, '-o', 'json'], kubeconfig ? { kubeconfig } : {});
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as DependencyReport;
}

describeOnCluster('why on a real API server', () => {
  let ns = '';
  beforeAll(async () => {
    ns = await freshNamespace('why');
    await apply([
      ...everyRookKind(ns),
      servedVolume(`${ns}-pv`, RBD, { volumeAttributes: { clusterID: ns, pool: 'cephblockpool' } }),
    ]);
  });

  test.for(ROOK_KINDS.map(({ kind, singular }) => ({ kind, singular })))(
    'asks at most 30 requests about a $kind, and discovers the API once',
    async ({ singular }) => {
      const since = await marker();
      await ask(['why', `${singular}/${singular}`, '-n', ns]);
      const requests = await requestsSince(since, 'kubectl-rook_deps/');
      expect(requests.length).toBeGreaterThan(1);
      expect(requests.length).toBeLessThanOrEqual(30);
      expect(requests.filter(({ uri }) => /^\/apis?(\?|$)/.test(uri))).toHaveLength(1);
      expect(requests.every(({ verb }) => verb === 'get' || verb === 'list')).toBe(true);
    },
  );

  test('lists only the kinds that can depend on a realm', async () => {
    const since = await marker();
    await ask(['why', 'cephobjectrealm/cephobjectrealm', '-n', ns]);
    const lists = (await requestsSince(since, 'kubectl-rook_deps/')).filter(({ verb }) => verb === 'list');
    const resources = lists
      .map(({ uri }) => new URL(uri, 'http://x').pathname.split('/').at(-1) ?? '')
      .toSorted(compareText);
    expect(resources).toEqual(['cephclusters', 'cephobjectzonegroups']);
  });

  test('is found by kubectl when the folder of the plugin is on PATH', async () => {
    const { code, stdout } = await kubectl(['rook-deps', 'why', 'cephblockpool/cephblockpool', '-n', ns]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^BLOCKED {2}cephblockpool\.ceph\.rook\.io\/cephblockpool in namespace why-/);
    expect(stdout).toContain(`PersistentVolume/${ns}-pv`);
  });

  test.for([
    { form: 'TYPE NAME', words: ['cephblockpool', 'cephblockpool'] },
    { form: 'a plural', words: ['cephblockpools/cephblockpool'] },
    { form: 'a short name', words: ['cephbp/cephblockpool'] },
    { form: 'a kind in its own case', words: ['CephBlockPool/cephblockpool'] },
    { form: 'TYPE.GROUP', words: ['cephblockpools.ceph.rook.io/cephblockpool'] },
    { form: 'TYPE.VERSION.GROUP', words: ['cephblockpools.v1.ceph.rook.io', 'cephblockpool'] },
  ])('takes $form as kubectl does', async ({ words }) => {
    const named = await kubectl(['get', ...words, '-n', ns, '-o', 'name']);
    expect(named.stdout).toBe('cephblockpool.ceph.rook.io/cephblockpool\n');
    const report = await ask(['why', ...words, '-n', ns]);
    expect(report.subject).toEqual({
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephBlockPool',
      namespace: ns,
      name: 'cephblockpool',
    });
  });

  test('tells with the exit code: 2 blocked, 3 unknown, 0 deletable', async () => {
    await apply([served(Kinds.CephBlockPool, 'lonely', ns)]);
    const code = async (...args: string[]): Promise<number> => {
      const { code, stdout, stderr } = await runPlugin(['why', ...args, '-n', ns, '-q']);
      expect(stdout + stderr).toBe('');
      return code;
    };
    expect(await code('cephbp/cephblockpool')).toBe(2);
    expect(await code('cephbp/lonely')).toBe(3);
    expect(await code('cephbp/lonely', '--no-ceph')).toBe(0);
  });

  test('does not take an operator that cannot be reached for an empty Ceph', async () => {
    await apply([
      served(Kinds.CephBlockPool, 'unreached', ns),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'operator', namespace: ns, labels: { app: 'rook-ceph-operator' } },
        spec: {
          nodeName: 'nowhere',
          automountServiceAccountToken: false,
          containers: [{ name: 'rook-ceph-operator', image: 'rook' }],
        },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      },
    ]);
    const { verdict, gaps } = await ask(['why', 'cephbp/unreached', '-n', ns]);
    expect(verdict).toBe('Unknown');
    expect(gaps.map(({ what }) => what)).toEqual(['RBD images, snapshots and objects in pool unreached']);
    expect(gaps[0]?.reason).toMatch(/^in pod operator: .+/);
    await kubectl(['delete', 'pod/operator', '-n', ns, '--force', '--grace-period=0']);
  });

  test('says which kinds may not be listed, and does not call that deletable', async () => {
    const kubeconfig = await restrictedKubeconfig(ns);
    await apply([served(Kinds.CephBlockPool, 'quiet', ns)]);
    const report = await ask(['why', 'cephbp/quiet', '-n', ns, '--no-ceph'], kubeconfig);
    expect(report.verdict).toBe('Unknown');
    expect(report.gaps.map(({ what }) => what)).toContain('PersistentVolume');
    expect(report.gaps.find(({ what }) => what === 'PersistentVolume')?.reason).toMatch(
      /^forbidden: .*cannot list resource "persistentvolumes"/,
    );
    expect(report.next).toContain('kubectl auth can-i list persistentvolumes --all-namespaces');
  });

  test('looks in the one namespace when all may not be listed, and says so', async () => {
    const kubeconfig = await restrictedKubeconfig(ns);
    await apply([
      served(Kinds.CephObjectStore, 'reserved', ns),
      served(Kinds.CephObjectStoreUser, 'here', ns, { store: 'reserved' }),
    ]);
    const report = await ask(['why', 'cephos/reserved', '-n', ns, '--no-ceph'], kubeconfig);
    expect(report.causes.map(({ object }) => object.name)).toEqual(['here']);
    expect(report.gaps.map(({ what }) => what)).toContain('CephObjectStoreUser in other namespaces');
  });

  test('tells how far a deletion has come', async () => {
    const pool = {
      ...served(Kinds.CephBlockPool, 'going', ns),
      status: {
        conditions: [
          {
            type: 'DeletionIsBlocked',
            status: 'True',
            reason: 'ObjectHasDependents',
            message: 'will not be deleted',
          },
        ],
      },
    };
    await apply([
      { ...pool, metadata: { name: 'going', namespace: ns, finalizers: ['cephblockpool.ceph.rook.io'] } },
    ]);
    await kubectl(['delete', 'cephbp/going', '-n', ns, '--wait=false']);
    const { deletion } = await ask(['why', 'cephbp/going', '-n', ns, '--no-ceph']);
    expect(deletion?.requestedAt).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(deletion?.finalizers).toEqual([{ name: 'cephblockpool.ceph.rook.io', manager: 'test' }]);
    expect(deletion?.conditions.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'DeletionIsBlocked ObjectHasDependents',
    ]);
    expect(deletion?.operator).toBe('NotFound');
  });

  test('lets everything go once the cluster is deleted with yes-really-destroy-data, except the cluster', async () => {
    const doomed = await freshNamespace('doomed');
    const cluster = served(Kinds.CephCluster, 'c', doomed, {
      cleanupPolicy: { confirmation: 'yes-really-destroy-data' },
    });
    await apply([
      { ...cluster, metadata: { name: 'c', namespace: doomed, finalizers: ['cephcluster.ceph.rook.io'] } },
      served(Kinds.CephBlockPool, 'p', doomed),
      served(Kinds.CephBlockPoolRadosNamespace, 'a', doomed, { blockPoolName: 'p' }),
    ]);
    expect((await ask(['why', 'cephbp/p', '-n', doomed])).verdict).toBe('Blocked');
    await kubectl(['delete', 'cephcluster/c', '-n', doomed, '--wait=false']);
    const report = await ask(['why', 'cephbp/p', '-n', doomed]);
    expect(report.verdict).toBe('Deletable');
    expect(report.notes?.[0]).toContain('yes-really-destroy-data');
    expect((await ask(['why', 'cephcluster/c', '-n', doomed])).verdict).toBe('Blocked');
  });

  test('an object that took the name of an owner is not taken for the owner', async () => {
    const [owner] = await apply([served(Kinds.CephObjectStore, 'owner', ns)]);
    const reference = {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephObjectStore',
      name: 'owner',
      uid: owner?.metadata.uid ?? '',
    };
    const owned = served(Kinds.CephClient, 'owned', ns);
    await apply([{ ...owned, metadata: { name: 'owned', namespace: ns, ownerReferences: [reference] } }]);
    expect((await ask(['why', 'cephos/owner', '-n', ns])).related.map(({ code }) => code)).toEqual(['RD030']);
    await kubectl(['delete', 'cephos/owner', '-n', ns]);
    await apply([served(Kinds.CephObjectStore, 'owner', ns)]);
    expect((await ask(['why', 'cephos/owner', '-n', ns])).related).toEqual([]);
  });
});

describeOnCluster('bad input gets the words of kubectl', () => {
  const compare = async (
    args: readonly string[],
    kubectlArgs: readonly string[],
    kubeconfig?: string,
  ): Promise<void> => {
    const options = kubeconfig === undefined ? {} : { kubeconfig };
    const [ours, theirs] = [await runPlugin(args, options), await kubectl(kubectlArgs, options)];
    expect({ code: ours.code, stdout: ours.stdout }).toEqual({ code: 1, stdout: '' });
    const last = theirs.stderr.trimEnd().split('\n').at(-1) ?? '';
    expect(ours.stderr.split('\n')[0]).toBe(last);
    expect(ours.stderr).not.toMatch(/\n\s+at /);
  };

  test('an unknown type', () => compare(['why', 'cephthing/x'], ['get', 'cephthing/x']));
  test('an object that is not there', () => compare(['why', 'cephbp/nope'], ['get', 'cephbp/nope']));
  test('a name across all namespaces', () => compare(['why', 'cephbp/x', '-A'], ['get', 'cephbp/x', '-A']));
  test('a server that is not there', () =>
    compare(
      ['why', 'cephbp/x', '--server', 'https://127.0.0.1:1'],
      ['get', 'cephbp/x', '--server', 'https://127.0.0.1:1'],
    ));
  test('a context that is not there', () =>
    compare(['why', 'cephbp/x', '--context', 'nope'], ['api-resources', '--context', 'nope']));
  test('a kubeconfig that is not there', () =>
    compare(['why', 'cephbp/x', '--kubeconfig', '/nope'], ['get', 'cephbp/x', '--kubeconfig', '/nope']));
  test('a broken kubeconfig', async () => {
    const file = join(await mkdtemp(join(controlPlane().home, 'broken-')), 'config');
    await writeFile(file, 'clusters: []\nusers: a: b');
    await compare(['why', 'cephbp/x'], ['get', 'cephbp/x'], file);
  });
  test('wrong credentials', () =>
    compare(['why', 'cephbp/x', '--token', 'wrong'], ['get', 'cephbp/x', '--token', 'wrong']));
  test('a bad output format', async () => {
    const { code, stderr } = await runPlugin(['why', 'cephbp/x', '-o', 'xml']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: unable to match a printer suitable for the output format "xml", allowed formats are: json,name,wide,yaml\n',
    });
  });
});

describeOnCluster('the example cluster', () => {
  test('gives the same tree from a live cluster as from its files', async () => {
    const folder = join(import.meta.dirname, '../../docs/examples');
    const created = await kubectl(['get', 'ns', 'rook-ceph', '--ignore-not-found', '-o', 'name']);
    if (created.stdout === '')
      await (await import('./example-cluster.ts')).createExampleCluster(folder, { apply, kubectl });
    const args = ['tree', 'cephcluster/rook-ceph', '-n', 'rook-ceph'];
    const [live, saved] = [await runPlugin(args), await runPlugin([...args, '--from', folder])];
    expect(live.code).toBe(0);
    expect(saved.stdout.split('\n').length).toBeGreaterThan(60);
    expect(live.stdout).toBe(saved.stdout);
    expect(await readFile(join(folder, 'README.md'), 'utf8')).toContain('kubectl rook-deps');
  });
});
