import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listAt, textAt, type KubeObject } from '#pkg/object';
import { anAuthority, aServing } from '../../pkg/admission/testing/certificates.ts';
import { describeOnCluster } from './control-plane.ts';
import { InstallStage } from './install-stage.ts';

const LIMIT_MS = 120_000;
const WAIT = { timeout: 40_000, interval: 200 };
const NAMESPACE = '--namespace=rook-deps-system';
const WEBHOOKS = 'validatingwebhookconfiguration/rook-deps';
const DEPLOYMENT = 'deployment/rook-deps-controller';
const CANARY = 'fail: it is asked about a deletion, and answers (a dry run)';
const CONFIGURATION = 'fail: the configuration has every webhook as it should be, and insists';

let stage: InstallStage;
let controller: ChildProcess;
/** What is not well from the beginning: there is no node, and no Rook operator. */
let usual: readonly string[];

async function check(): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await stage.plugin(['check', '-o', 'json']);
  const rows = listAt(JSON.parse(stdout), 'checks');
  return new Map(
    rows.map((row) => [
      `${textAt(row, 'result') ?? ''}: ${textAt(row, 'title') ?? ''}`,
      textAt(row, 'detail') ?? '',
    ]),
  );
}

/** What is not well now, and was before; with the details. */
async function news(): Promise<Readonly<Record<string, string>>> {
  const rows = [...(await check())].filter(([row]) => !row.startsWith('ok: ') && !usual.includes(row));
  return Object.fromEntries(rows);
}

async function kubectl(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await stage.kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
}

function patched(target: string, change: object | readonly object[], ...more: readonly string[]): string[] {
  const type = Array.isArray(change) ? 'json' : 'merge';
  return ['patch', target, `--type=${type}`, `--patch=${JSON.stringify(change)}`, NAMESPACE, ...more];
}

async function pods(): Promise<readonly string[]> {
  const items = listAt(await stage.json(['get', 'pods', NAMESPACE]), 'items') as readonly KubeObject[];
  return items.map(({ metadata }) => `pod/${metadata.name}`);
}

function operator(image: string): object {
  const labels = { operator: 'rook' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'rook-ceph-operator', namespace: 'default', labels },
    spec: { selector: { matchLabels: labels }, template },
  };
}

/** What protections put on objects is no trace that was left. */
async function protect(): Promise<void> {
  await kubectl('create', 'deployment', 'server', '--image=example.com/none', '--replicas=0');
  const waiting = ['--finalizer', 'cephblockpools.ceph.rook.io=example.com/served'];
  for (const args of [
    ['cephblockpool/held', '-n', 'default', '--reason', 'needed'],
    ['--critical', 'deploy/server', '-n', 'default', ...waiting],
  ]) {
    const { code, stderr } = await stage.plugin(['protect', ...args]);
    if (code !== 0) throw new Error(stderr);
  }
}

/** What is done to an installation, what check says then, and what undoes it. */
interface Harm {
  readonly name: string;
  readonly harm: readonly (readonly string[])[];
  readonly rows: Readonly<Record<string, string | RegExp>>;
  readonly mend: readonly (readonly string[])[];
}

const HARMS: readonly Harm[] = [
  {
    name: 'a role of the controller that somebody edited',
    harm: [patched('clusterrole/rook-deps-controller', [{ op: 'remove', path: '/rules/4' }])],
    rows: { 'fail: the controller has its rights': /ClusterRole rook-deps-controller$/ },
    mend: [],
  },
  {
    name: 'a binding that gives the rights to somebody else',
    harm: [
      patched('clusterrolebinding/rook-deps-controller-granted', {
        subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
      }),
    ],
    rows: {
      'fail: the controller has its rights':
        /ClusterRole rook-deps-controller, ClusterRoleBinding rook-deps-controller-granted$/,
    },
    mend: [],
  },
  {
    name: 'a policy that is gone, and bindings that deny nothing',
    harm: [
      ['delete', 'validatingadmissionpolicy/rook-deps-status'],
      ['delete', 'validatingadmissionpolicybinding/rook-deps-critical'],
      patched('validatingadmissionpolicybinding/rook-deps-in-use', {
        spec: { validationActions: ['Audit'] },
      }),
    ],
    rows: {
      'fail: the admission policies are what this program installs':
        /^no ValidatingAdmissionPolicy rook-deps-status, no ValidatingAdmissionPolicyBinding rook-deps-critical, another ValidatingAdmissionPolicyBinding rook-deps-in-use: /,
    },
    mend: [],
  },
  {
    name: 'labels that nothing explains',
    harm: [
      ['create', 'serviceaccount', 'odd'],
      ['create', 'serviceaccount', 'odder'],
      ['create', 'serviceaccount', 'oddest'],
      ['label', 'serviceaccount/odd', 'rook-deps.io/in-use=true'],
      ['label', 'serviceaccount/odder', 'rook-deps.io/critical=true'],
      ['label', 'serviceaccount/oddest', 'rook-deps.io/composite=none'],
    ],
    rows: {
      'warn: no label of ours is without a reason':
        'serviceaccount/odd, serviceaccount/odder, serviceaccount/oddest',
    },
    mend: [['delete', 'serviceaccount/odd', 'serviceaccount/odder', 'serviceaccount/oddest']],
  },
  {
    name: 'a finalizer that nobody serves on such an object',
    harm: [patched('cephblockpool/held', { metadata: { finalizers: ['rook-deps.io/usage'] } }, '-n=default')],
    rows: { 'warn: no finalizer of ours is without a controller': 'cephblockpool.ceph.rook.io/held' },
    mend: [patched('cephblockpool/held', { metadata: { finalizers: null } }, '-n=default')],
  },
  {
    name: 'another version of the bundle',
    harm: [patched(DEPLOYMENT, { metadata: { annotations: { 'rook-deps.io/version': 'v0.0.1' } } })],
    rows: { 'warn: the cluster runs the bundle of this program': /^it runs v0.0.1, this is / },
    mend: [],
  },
  {
    name: 'a webhook that is not asked about what it should be',
    harm: [
      patched(WEBHOOKS, [
        { op: 'add', path: '/webhooks/0/namespaceSelector', value: { matchLabels: { no: 'where' } } },
      ]),
    ],
    rows: {
      [CONFIGURATION]: 'asked about something else: in-use.rook-deps.io',
      [CANARY]: 'it was not asked: the deletion would have passed',
    },
    mend: [patched(WEBHOOKS, [{ op: 'remove', path: '/webhooks/0/namespaceSelector' }])],
  },
  {
    name: 'a webhook that lets things pass while nobody answers',
    harm: [patched(WEBHOOKS, [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }])],
    rows: {
      [CONFIGURATION.replace('fail', 'warn')]: 'in-use.rook-deps.io lets things pass while nobody answers',
    },
    mend: [patched(WEBHOOKS, [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' }])],
  },
];

describeOnCluster('check finds an installation', () => {
  beforeAll(async () => {
    stage = await InstallStage.start();
    const installing = stage.plugin(['install']);
    controller = await stage.runPods(AbortSignal.timeout(LIMIT_MS));
    const { code, stderr } = await installing;
    if (code !== 0) throw new Error(stderr);
    const held = {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephBlockPool',
      metadata: { name: 'held', namespace: 'default' },
      spec: { replicated: { size: 3 } },
    };
    await stage.kubectl(['create', '-f', '-'], JSON.stringify(held));
    await protect();
    const rows = await check();
    usual = [...rows.keys()].filter((row) => !row.startsWith('ok: '));
  }, 180_000);
  afterAll(() => stage?.end());

  test('well, but for what a cluster without nodes lacks', () => {
    expect(usual).toEqual([
      'warn: what the replicas have seen is fresh',
      'warn: its operator runs, in a version that the rules know',
    ]);
  });

  test.for(HARMS)('harmed by $name', { timeout: LIMIT_MS }, async ({ harm, rows, mend }) => {
    for (const args of harm) await kubectl(...args);
    const found = await news();
    expect(found).toMatchObject(
      Object.fromEntries(
        Object.entries(rows).map(([row, detail]) => [
          row,
          detail instanceof RegExp ? expect.stringMatching(detail) : detail,
        ]),
      ),
    );
    for (const args of mend) await kubectl(...args);
  });

  test('mended by install', { timeout: LIMIT_MS }, async () => {
    const installing = stage.plugin(['install']);
    await vi.waitFor(() => stage.markPodsReady(), WAIT);
    await installing;
    expect(await news()).toEqual({});
  });

  test('with a replica that is not ready', { timeout: LIMIT_MS }, async () => {
    const [first = ''] = await pods();
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    await kubectl(...patched(first, { status }, '--subresource=status'));
    await vi.waitFor(async () => {
      expect(await news()).toMatchObject({
        'warn: all replicas are ready': '1 of 2 updated replicas are available',
      });
    }, WAIT);
    await stage.markPodsReady();
    await vi.waitFor(async () => expect(await news()).toEqual({}), WAIT);
  });

  test('with a Rook that the rules do not know, and who keeps budgets', { timeout: LIMIT_MS }, async () => {
    const cluster = {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephCluster',
      metadata: { name: 'ceph', namespace: 'default' },
      spec: { dataDirHostPath: '/d', disruptionManagement: { managePodBudgets: true } },
    };
    await stage.kubectl(['create', '-f', '-'], JSON.stringify(cluster));
    const row = 'its operator runs, in a version that the rules know';
    await stage.kubectl(['apply', '-f', '-'], JSON.stringify(operator('rook/ceph:v1.99.0')));
    const unknown = await check();
    expect(unknown.get(`warn: ${row}`)).toBe('v1.99.0');
    expect(unknown.get('ok: it is known who keeps disruption budgets')).toBe('default/ceph: Rook');
    const asking = 'warn: the controller may ask it before data would be lost';
    expect(unknown.get(asking)).toBe('default/ceph: there is no pod to ask in');
    await stage.kubectl(['apply', '-f', '-'], JSON.stringify(operator('rook/ceph:v1.20.1')));
    expect((await check()).get(`ok: ${row}`)).toBe('v1.20.1');
    await kubectl('delete', 'deployment/rook-ceph-operator', '-n=default');
  });

  const address = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

  /** A node is missing, so the way from the API server to the port of the pods is made here. */
  test.skipIf(!address)('whose watches are late', { timeout: LIMIT_MS }, async () => {
    let lag = 1;
    const server: Server = createServer((_request, response) => {
      response.end(`rook_deps_cache_lag_seconds{kind="Usage"} ${lag}\n`);
    }).listen(8081, address);
    await once(server, 'listening');
    try {
      const status = { podIP: address, podIPs: [{ ip: address }] };
      for (const pod of await pods()) await kubectl(...patched(pod, { status }, '--subresource=status'));
      const row = 'what the replicas have seen is fresh';
      expect((await check()).get(`ok: ${row}`)).toBe('1 s');
      lag = 500;
      expect((await check()).get(`warn: ${row}`)).toBe('nothing was heard for 500 s');
    } finally {
      server.close();
    }
  });

  test('without its controller, its certificates and its definitions', { timeout: LIMIT_MS }, async () => {
    controller.kill('SIGKILL');
    await once(controller, 'exit');
    const text = await stage.plugin(['check']);
    expect(text.code).toBe(1);
    expect(text.stdout).toContain(`  × ${CANARY.slice('fail: '.length)}\n`);
    expect(text.stdout).toContain('failed calling webhook "in-use.rook-deps.io"');
    expect(text.stdout).toMatch(/\d of \d+ checks failed, \d warn\.\n$/);

    const renewTime = '2026-01-01T00:00:00.000000Z';
    await kubectl(...patched('lease/rook-deps', { spec: { renewTime } }));
    const longAgo = Date.now() - 365 * 86_400_000;
    const { certificate } = await aServing(await anAuthority(longAgo), longAgo);
    const tls = { 'tls.crt': Buffer.from(certificate).toString('base64') };
    await kubectl(...patched('secret/rook-deps-webhook', { data: tls }));
    await kubectl('delete', 'crd/storageclaims.rook-deps.io');
    expect(await news()).toMatchObject({
      'fail: one of them leads': expect.stringContaining('has not renewed the lease for'),
      'fail: the API server trusts the certificate that is served': expect.stringContaining(
        'the caBundle does not vouch for it: in-use.rook-deps.io, critical.rook-deps.io',
      ),
      'fail: the certificate is good for a while': 'it has ended',
      'fail: the definitions are established': 'not storageclaims.rook-deps.io',
      [CANARY]: expect.stringContaining('failed calling webhook'),
    });

    await kubectl('delete', WEBHOOKS, 'lease/rook-deps', NAMESPACE);
    expect(await news()).toMatchObject({
      'fail: one of them leads': 'nobody holds the lease, so nothing is protected anew',
      [CONFIGURATION]: expect.stringMatching(/^not in-use.rook-deps.io, /),
      [CANARY]: 'it was not asked: the deletion would have passed',
    });
  });
});
