import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Kinds } from '#pkg/object';
import { run, type Outcome } from '#test/fakes/program.ts';
import { aDrain, aZone } from '#test/fixtures/drains.ts';
import { anObject, aCluster, aPool, aRadosNamespace } from '#test/fixtures/objects.ts';

const STDIN = JSON.stringify([
  aCluster(),
  aPool('free', { labels: { tier: 'gold' } }),
  aPool('used', { labels: { tier: 'silver' } }),
  aRadosNamespace('tenant', 'used'),
  aPool('twin', { namespace: 'north' }),
  aPool('twin', { namespace: 'south' }),
  anObject(Kinds.CephObjectRealm, 'realm'),
]);
const why = (line: string, parts = {}): Promise<Outcome> =>
  run(`why --from - ${line}`, { stdin: STDIN, ...parts });
const whyExample = (line: string, parts = {}): Promise<Outcome> =>
  run(`why ${line} --from docs/examples`, parts);

describe('the exit code', () => {
  const rows = [
    { line: 'cephbp/free --no-ceph', code: 0 },
    { line: 'cephbp/used', code: 2 },
    { line: 'cephbp/free', code: 3 },
    { line: 'cephbp/free cephbp/used', code: 2 },
    { line: 'cephbp/free cephobjectrealm/realm', code: 3 },
    { line: 'cephobjectrealm/realm', code: 0 },
    { line: 'cephbp -l tier=none', code: 0 },
  ];
  test.for(rows)('is $code for $line with --exit-code', async ({ line, code }) => {
    expect((await why(`${line} --exit-code`)).code).toBe(code);
  });

  test.for(rows)('is $code for $line with -q, which prints no report', async ({ line, code }) => {
    expect(await why(`${line} -q`)).toMatchObject({ code, out: '' });
  });

  test('is 0 for any answer otherwise', async () => {
    expect((await why('cephbp/used')).code).toBe(0);
  });

  test('is 1 for an error, also with -q, and standard output stays empty', async () => {
    expect(await why('cephbp/nope -q')).toMatchObject({ code: 1, out: '' });
    expect(await why('cephbp/nope -o json')).toMatchObject({ code: 1, out: '' });
  });
});

describe('the output', () => {
  const golden = [
    { name: 'pool', line: 'cephblockpool/replicapool -n rook-ceph' },
    { name: 'scratchfs', line: 'cephfs/scratchfs' },
    { name: 'two', line: 'cephbn/on-upload cephbn/on-delete -n media' },
    { name: 'staging', line: 'cephbp/staging-pool -n rook-ceph' },
    { name: 'cluster-wide', line: 'cephcluster rook-ceph -o wide' },
    { name: 'pool-name', line: 'cephbp/replicapool -o name' },
  ];
  test.for(golden)('reads as agreed: $name', async ({ name, line }) => {
    const { out } = await whyExample(line);
    await expect(out).toMatchFileSnapshot(`../../../test/fixtures/golden/why-${name}.txt`);
  });

  test('of -o json is one report, and nothing else on standard output', async () => {
    const { out, err } = await why('cephbp/used -o json');
    expect(JSON.parse(out)).toMatchObject({
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'DependencyReport',
      subject: { name: 'used' },
      verdict: 'Blocked',
    });
    expect(err).toMatch(/^Warning: not in the files, so taken for not there: .*PersistentVolume/);
  });

  test('of -o yaml says the same as -o json', async () => {
    const json: unknown = JSON.parse((await why('cephbp/used -o json')).out);
    expect(parse((await why('cephbp/used -o yaml')).out)).toEqual(json);
  });

  test.for(['cephbp/free cephbp/used', 'cephbp free used', 'cephbp -n rook-ceph', 'cephobjectrealm'])(
    'of %s with -o json is a list',
    async (line) => {
      const list = JSON.parse((await why(`${line} -o json`)).out) as { kind: string; items: unknown[] };
      expect(list.kind).toBe('DependencyReportList');
      expect(list.items).toHaveLength(line === 'cephobjectrealm' ? 1 : 2);
    },
  );

  test('of -o json with nothing to ask about is an empty list', async () => {
    expect(JSON.parse((await why('cephbp -l tier=none -o json')).out)).toMatchObject({ items: [] });
  });

  test('without headers has none', async () => {
    expect((await why('cephbp/used --no-headers')).out).not.toContain('OBJECT');
  });

  test('of an unknown format is an error in words of kubectl', async () => {
    expect(await why('cephbp/used -o xml')).toEqual({
      code: 1,
      out: '',
      err: 'error: unable to match a printer suitable for the output format "xml", allowed formats are: json,name,wide,yaml\n',
    });
  });

  test('on a terminal has the verdict in a box, in colour', async () => {
    const { out } = await why('cephbp/used', {
      stdoutIsTerminal: true,
      env: { TERM: 'xterm', LANG: 'C.UTF-8' },
    });
    expect(out).toContain('╭');
    expect(out).toContain('\u001b[31mBLOCKED\u001b[0m');
  });

  test('in a pipe has neither', async () => {
    // oxlint-disable-next-line no-control-regex -- colours are what must not be there
    expect((await why('cephbp/used', { env: { LANG: 'C.UTF-8' } })).out).not.toMatch(/[╭\u001b]/);
  });
});

describe('the commands it suggests', () => {
  test('ask the same files and the same cluster again', async () => {
    const { out } = await why('cephbp/used --context prod --token secret');
    expect(out).toContain('kubectl rook-deps tree cephblockpool/used -n rook-ceph --context=prod --from -\n');
    expect(out).toMatch(/explain RD002\n$/);
    expect(out).not.toContain('secret');
  });

  test('stay as they are in JSON but for the cluster', async () => {
    const { next } = JSON.parse((await why('cephbp/used --context prod -o json')).out) as { next: string[] };
    expect(next).toEqual([
      'kubectl rook-deps tree cephblockpool/used -n rook-ceph --context=prod',
      'kubectl rook-deps why cephblockpoolradosnamespace/tenant -n rook-ceph --context=prod',
      'kubectl rook-deps explain RD002',
    ]);
  });
});

describe('subjects', () => {
  const subjects = async (line: string): Promise<readonly string[]> => {
    const document = JSON.parse((await why(`${line} -o json`)).out) as {
      items: { subject: { namespace: string; name: string } }[];
    };
    return document.items.map(({ subject }) => `${subject.namespace}/${subject.name}`);
  };

  test('of a type are all there are, sorted', async () => {
    const all = ['north/twin', 'rook-ceph/free', 'rook-ceph/used', 'south/twin'];
    expect(await subjects('cephbp')).toEqual(all);
    expect(await subjects('cephbp -A')).toEqual(all);
    expect(await subjects('cephbp -A -n north')).toEqual(all);
  });

  test('of a type can be chosen by namespace and label', async () => {
    expect(await subjects('cephbp -n rook-ceph')).toEqual(['rook-ceph/free', 'rook-ceph/used']);
    expect(await subjects('cephbp -l tier=gold')).toEqual(['rook-ceph/free']);
  });

  const refused = [
    {
      line: 'cephbp/nope -n north',
      err: 'error: cephblockpools.ceph.rook.io "nope" not found in the files\nThere is no CephCluster in namespace "north"; there is one in "rook-ceph" (use -n rook-ceph).\n',
    },
    {
      line: 'cephbp/nope -n rook-ceph',
      err: 'error: cephblockpools.ceph.rook.io "nope" not found in the files\n',
    },
    { line: 'pv/nope', err: 'error: persistentvolumes "nope" not found in the files\n' },
    {
      line: 'cephbp/twin',
      err: 'error: cephblockpool "twin" is in several namespaces: north, south (use -n)\n',
    },
    { line: 'cephbp/free -A', err: 'error: a resource cannot be retrieved by name across all namespaces\n' },
    { line: 'cephbp free -l a=b', err: 'error: name cannot be provided when a selector is specified\n' },
    { line: 'cephbp/free nope/x', err: `error: the server doesn't have a resource type "nope"\n` },
    {
      line: '',
      err: 'error: You must specify the type of resource to ask about, such as cephblockpool/NAME.\n',
    },
  ];
  test.for(refused)('are refused: $line', async ({ line, err }) => {
    expect(await why(line)).toEqual({ code: 1, out: '', err });
  });

  test('of which there are none are told on standard error', async () => {
    expect(await why('cephnfs -n north')).toMatchObject({
      code: 0,
      out: '',
      err: 'No resources found in north namespace.\n',
    });
    expect((await why('cephnfs -A -n north')).err).toBe('No resources found\n');
    expect((await why('pv')).err).toBe('No resources found\n');
  });

  test('that are named nowhere are missed before any cluster is asked', async () => {
    expect((await run('why', { env: { KUBECONFIG: '/nowhere' } })).err).toContain(
      'You must specify the type',
    );
  });
});

describe('saved manifests', () => {
  test('that hold a name twice are warned of', async () => {
    const stdin = JSON.stringify([aPool('p'), aPool('p')]);
    expect((await why('cephbp/p -q', { stdin })).err).toContain(
      'Warning: CephBlockPool rook-ceph/p is in STDIN and again in STDIN; the last one counts\n',
    );
  });

  test('that are missing or broken are an error of one line', async () => {
    expect(await run('why cephbp/p --from /nowhere.yaml')).toEqual({
      code: 1,
      out: '',
      err: 'error: the path "/nowhere.yaml" does not exist\n',
    });
    const { code, err } = await why('cephbp/p', { stdin: 'a: [' });
    expect(code).toBe(1);
    expect(err).toMatch(/^error: error parsing STDIN: document 1, line 1: [^\n]+\n$/);
  });

  test('with hostile names are shown harmlessly, and their suggestions are quoted', async () => {
    const name = 'p\u001b[2J$(reboot)';
    const stdin = JSON.stringify([aPool(name), aRadosNamespace('t', name)]);
    const { out } = await run(['why', '--from', '-', 'cephbp'], { stdin });
    expect(out).not.toContain('\u001b');
    expect(out).toContain(`kubectl rook-deps tree 'cephblockpool/p^[[2J$(reboot)' -n rook-ceph`);
  });
});

describe('a node', () => {
  const now = Date.parse('2026-11-18T10:00:00Z');
  const stdin = JSON.stringify([...aDrain(now - 7 * 60_000), aPool('used'), aRadosNamespace('t', 'used')]);
  const ask = (line: string): Promise<Outcome> => run(`why --from - ${line}`, { stdin, now: () => now });

  test('is asked about its drain, and the answer reads as agreed', async () => {
    await expect((await ask('node/node-1')).out).toMatchFileSnapshot(
      '../../../test/fixtures/golden/why-node.txt',
    );
  });

  test('in maintenance says by whom, why, since when and how far, and so do those that wait for it', async () => {
    const written = JSON.stringify({
      spec: { nodeName: 'node-0', reason: 'new disk', requestedBy: 'alice' },
      status: {
        phase: 'Ready',
        message: 'drained: the node can be powered off',
        prior: { recordedAt: '2026-11-18T09:48:00Z', nodeUid: '' },
      },
    });
    const ledger = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'rook-deps-maintenance', namespace: 'kube-system' },
      data: { 'node-0': written },
    };
    const resource = {
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'NodeMaintenance',
      metadata: { name: 'node-1' },
      spec: { nodeName: 'node-1' },
      status: { phase: 'Pending', message: 'node node-0 of zone zone-x is in maintenance (Ready)' },
    };
    const all = JSON.stringify([...aDrain(now - 7 * 60_000), ledger, resource]);
    const { out } = await run('why --from - node/node-0 node/node-1 --no-ceph', {
      stdin: all,
      now: () => now,
    });
    await expect(out).toMatchFileSnapshot('../../../test/fixtures/golden/why-node-maintenance.txt');
  });

  test('that nothing holds yet is told to wait for a maintenance in another zone', async () => {
    const resource = {
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'NodeMaintenance',
      metadata: { name: 'node-0' },
      spec: { nodeName: 'node-0' },
      status: { phase: 'Running', prior: { recordedAt: '2026-11-18T09:59:00Z', nodeUid: '' } },
    };
    const zones = ['zone-x', 'zone-y'].flatMap((zone, id) => aZone(zone, id));
    const pool = aPool('p', { spec: { failureDomain: 'zone' } });
    const all = JSON.stringify([aCluster(), pool, ...zones, resource]);
    const { out } = await run('why --from - node/node-1 --no-ceph', { stdin: all, now: () => now });
    expect(out).toContain('OSDs of another failure domain may go at any moment: wait for it.');
    expect(out).toContain('node node-0 of zone zone-x: Running, for 60s');
  });

  test.for([
    { line: 'node/node-1', code: 2 },
    { line: 'no node-0', code: 3 },
    { line: 'node/node-0 --no-ceph', code: 0 },
    { line: 'nodes', code: 2 },
    { line: 'node/nowhere', code: 1 },
  ])('is $code for $line with -q', async ({ line, code }) => {
    expect(await ask(`${line} -q`)).toMatchObject({ code, out: '' });
  });

  test('is one document with -o json, several are a list, and other kinds may be among them', async () => {
    const json = async (line: string): Promise<unknown> => JSON.parse((await ask(`${line} -o json`)).out);
    expect(await json('node/node-1')).toMatchObject({
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'DrainReport',
      subject: { kind: 'Node', name: 'node-1' },
      verdict: 'Blocked',
      causes: [{ code: 'RD070', object: { name: 'rook-ceph-osd-zone-zone-y' }, domain: 'zone-x' }],
    });
    expect(await json('nodes')).toMatchObject({ kind: 'DrainReportList', items: { length: 3 } });
    expect(await json('node/node-1 cephbp/used')).toMatchObject({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ kind: 'DrainReport' }, { kind: 'DependencyReport' }],
    });
  });

  test('is named by its budgets with -o name', async () => {
    expect((await ask('node/node-1 -o name')).out).toBe(
      'poddisruptionbudget.policy/rook-ceph-osd-zone-zone-y\n',
    );
  });

  test('in files is never told to be drained without a look at the cluster', async () => {
    const { out } = await ask('node/node-0 --no-ceph');
    expect(out).toContain('kubectl rook-deps why node/node-0');
    expect(out).not.toContain('kubectl uncordon');
  });
});
