import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { compareText, listAt, textAt, type KubeObject } from '#pkg/object';
import { describeOnCluster } from './control-plane.ts';
import { InstallStage } from './install-stage.ts';

const CONTROLLER = 'system:serviceaccount:rook-deps-system:rook-deps-controller';
const BINDING = 'rolebinding.rbac.authorization.k8s.io/rook-deps-ceph';
const BY_HAND = ['--clusterrole=rook-deps-ceph', '--serviceaccount=rook-deps-system:rook-deps-controller'];
const OPERATOR_RULES = [{ apiGroups: ['ceph.rook.io'], resources: ['cephclusters'], verbs: ['update'] }];
const WAIT = { timeout: 20_000, interval: 200 };

let stage: InstallStage;

async function kubectl(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await stage.kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function create(object: object): Promise<void> {
  const { code, stderr } = await stage.kubectl(['create', '-f', '-'], JSON.stringify(object));
  if (code !== 0) throw new Error(stderr);
}

interface Installed {
  /** What was done to the rights of asking Ceph. */
  readonly lines: readonly string[];
  readonly stderr: string;
}

async function install(...flags: readonly string[]): Promise<Installed> {
  const { code, stdout, stderr } = await stage.plugin(['install', '--wait=false', ...flags]);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return { lines: stdout.split('\n').filter((line) => line.startsWith(BINDING)), stderr };
}

const did = (word: string, ...namespaces: readonly string[]): readonly string[] =>
  namespaces.map((namespace) => `${BINDING} in namespace ${namespace} ${word}`);

/** The namespaces in which the rights are. */
async function bound(...flags: readonly string[]): Promise<readonly string[]> {
  const all = ['get', 'rolebindings', '-A', '--field-selector=metadata.name=rook-deps-ceph', ...flags];
  const items = listAt(await stage.json(all), 'items') as readonly KubeObject[];
  return items.map(({ metadata }) => metadata.namespace ?? '').toSorted(compareText);
}

async function mayExec(namespace: string): Promise<boolean> {
  const args = ['auth', 'can-i', 'create', 'pods', '--subresource=exec', '-n', namespace, '--as', CONTROLLER];
  return (await stage.kubectl(args)).stdout.trim() === 'yes';
}

/** Of Secrets in a namespace, the keys of an external object store alone. */
async function mayReadKeys(namespace: string): Promise<boolean> {
  const may = async (what: string): Promise<boolean> =>
    (
      await stage.kubectl(['auth', 'can-i', 'get', what, '-n', namespace, '--as', CONTROLLER])
    ).stdout.trim() === 'yes';
  expect(await may('secrets')).toBe(false);
  return may('secret/rgw-admin-ops-user');
}

async function cephRow(): Promise<unknown> {
  const { stdout } = await stage.plugin(['check', '-o', 'json']);
  const row = listAt(JSON.parse(stdout), 'checks').find((each) => textAt(each, 'section') === 'Ceph');
  return [textAt(row, 'result'), textAt(row, 'detail')];
}

/** A pod of Rook's, which no node runs. */
async function makePod(app: string, namespace: string): Promise<void> {
  await create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: app, namespace, labels: { app } },
    spec: { serviceAccountName: 'rook', containers: [{ name: app, image: 'example.com/none' }] },
  });
}

async function makeRook(): Promise<void> {
  for (const namespace of ['rook', 'ceph', 'tenant']) {
    await kubectl('create', 'namespace', namespace);
    await kubectl('create', 'serviceaccount', 'rook', '-n', namespace);
  }
  await create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'operator' },
    rules: OPERATOR_RULES,
  });
  const account = '--serviceaccount=rook:rook';
  await kubectl('create', 'clusterrolebinding', 'operator', '--clusterrole=operator', account);
  await makePod('rook-ceph-operator', 'rook');
  // Anybody can make these.
  await makePod('rook-ceph-operator', 'tenant');
  await makePod('rook-ceph-tools', 'tenant');
  await makePod('rook-ceph-tools', 'ceph');
  await create({
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephCluster',
    metadata: { name: 'ceph', namespace: 'ceph' },
    spec: { dataDirHostPath: '/d' },
  });
}

describeOnCluster('the right to ask Ceph', () => {
  beforeAll(async () => {
    stage = await InstallStage.start();
  }, 120_000);
  afterAll(() => stage?.end());

  test('is given nowhere without Rook, and install says what to do once it is there', async () => {
    const { lines, stderr } = await install();
    expect(lines).toEqual([]);
    expect(stderr).toContain(
      "Rook was not found: once it is installed, run 'kubectl rook-deps install' again",
    );
    expect(await bound()).toEqual([]);
  });

  test('is missed by check, and given where operator and toolbox are', async () => {
    await makeRook();
    expect(await cephRow()).toEqual(['warn', 'ceph/ceph: it lacks pods/exec in namespace rook or ceph']);
    const dry = await stage.plugin(['install', '--dry-run=server']);
    expect(dry.stdout).toContain(`${BINDING} in namespace rook created (server dry run)\n`);
    expect(await bound()).toEqual([]);
    const { lines, stderr } = await install();
    expect(lines).toEqual(did('created', 'ceph', 'rook'));
    expect(stderr).toContain("pod tenant/rook-ceph-operator looks like Rook's operator, but ");
    await vi.waitFor(async () => {
      expect(await Promise.all(['ceph', 'rook', 'tenant', 'default'].map(mayExec))).toEqual([
        true,
        true,
        false,
        false,
      ]);
    }, WAIT);
    expect(await Promise.all(['ceph', 'tenant'].map(mayReadKeys))).toEqual([true, false]);
    expect(await cephRow()).toEqual(['ok', '--ceph=require']);
  });

  test('is not touched by a second run, nor while the operator is away', async () => {
    const versions = await stage.resourceVersions();
    expect((await install()).lines).toEqual(did('unchanged', 'ceph', 'rook'));
    await kubectl('delete', 'pod/rook-ceph-operator', '-n', 'rook', '--force');
    expect((await install()).lines).toEqual(did('unchanged', 'ceph', 'rook'));
    const rights = Object.entries(await stage.resourceVersions()).filter(([key]) => key.includes('Role'));
    expect(rights).toEqual(Object.entries(versions).filter(([key]) => key.includes('Role')));
  });

  test('is given in namespaces that are named, later if they are not there yet, and what is made by hand is left', async () => {
    await kubectl('create', 'namespace', 'by-hand');
    await kubectl('create', 'rolebinding', 'rook-deps-ceph', '-n', 'by-hand', ...BY_HAND);
    // Named anew: what an earlier run found, and this one does not, goes.
    const named = await install('--ceph-namespace', 'soon', '--ceph-namespace', 'by-hand');
    expect(named.stderr).toContain('there is no namespace "soon" yet');
    expect(named.lines).toEqual([...did('unchanged', 'ceph'), ...did('deleted', 'rook')]);
    await kubectl('create', 'namespace', 'soon');
    expect((await install()).lines).toEqual([...did('unchanged', 'ceph'), ...did('created', 'soon')]);
    const ours = 'app.kubernetes.io/managed-by=kubectl-rook-deps';
    expect(await bound('-l', ours)).toEqual(['ceph', 'soon']);
    const wrong = await stage.plugin(['install', '--ceph-namespace', 'No/where']);
    expect(wrong).toMatchObject({
      code: 1,
      stderr:
        'error: invalid argument "No/where" for "--ceph-namespace" flag: must be the name of a namespace\n',
    });
  });

  test('is among the rendered manifests, which pass strict validation', async () => {
    const render = ['install', '--dry-run=client', '-o', 'yaml'];
    const { stdout, stderr } = await stage.plugin([...render, '--ceph-namespace', 'rook,ceph']);
    expect(stderr).toBe('');
    expect(stdout.match(/^ {2}name: rook-deps-ceph\n {2}namespace: (rook|ceph)$/gm)).toHaveLength(2);
    const flags = ['--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict'];
    const applied = await stage.kubectl(['apply', ...flags, '-f', '-'], stdout);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    const plain = await stage.plugin(render);
    expect(plain.stderr).toContain('name its namespace with --ceph-namespace');
    expect(plain.stdout).not.toMatch(/^ {2}name: rook-deps-ceph\n {2}namespace: /m);
  });

  test('takes somebody who may bind roles', async () => {
    const rules = [
      { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: ['', 'apps', 'apiextensions.k8s.io', 'authorization.k8s.io'],
        resources: ['*'],
        verbs: ['*'],
      },
      {
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles', 'clusterrolebindings', 'roles'],
        verbs: ['*'],
      },
    ];
    const metadata = { name: 'installer' };
    await create({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules });
    await kubectl('create', 'clusterrolebinding', 'installer', '--clusterrole=installer', '--user=jane');
    await vi.waitFor(async () => {
      const { code, stderr } = await stage.plugin(['install', '--wait=false', '--as=jane']);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /rolebindings\.rbac\.authorization\.k8s\.io "rook-deps-ceph" is forbidden: User "jane" cannot patch .* in the namespace "ceph"/,
      );
    }, WAIT);
    const pre = await stage.plugin(['check', '--pre', '--as=jane']);
    expect(pre.stdout).toContain('not rolebindings.rbac.authorization.k8s.io, ');
  });

  test('is taken away by --ceph=off, and given back', async () => {
    expect((await install('--ceph=off')).lines).toEqual(did('deleted', 'ceph', 'soon'));
    expect(await bound()).toEqual(['by-hand']);
    expect(await cephRow()).toEqual(['ok', 'it is not asked: --ceph=off']);
    expect((await install()).lines).toEqual([]);
    expect((await install('--ceph=prefer')).lines).toEqual(did('created', 'ceph', 'soon'));
  });

  test('is gone after uninstall, but for what was made by hand', { timeout: 60_000 }, async () => {
    const { code, stdout } = await stage.plugin(['uninstall', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      'rolebinding.rbac.authorization.k8s.io "rook-deps-ceph" deleted from ceph namespace\n',
    );
    expect(await bound()).toEqual(['by-hand']);
  });
});
