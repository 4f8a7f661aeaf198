import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#pkg/clock';
import { bundleOf, install, loadManifests, nameOf, renderManifests, type Change } from '#pkg/install';
import { kubeReader, refreshedTypes } from '#pkg/kube';
import { fieldAt, listAt, textAt, type KubeObject } from '#pkg/object';
import { describeOnCluster } from './control-plane.ts';
import { InstallStage } from './install-stage.ts';
import { liveClient } from './live-client.ts';

const CONTROLLER = 'system:serviceaccount:rook-deps-system:rook-deps-controller';
const NS = ['-n', 'rook-deps-system'];
const MANAGED = 'app.kubernetes.io/managed-by=kubectl-rook-deps';

let stage: InstallStage;
let before: Readonly<Record<string, unknown>>;

/** Server-side apply of one object: what was wrong with it, or nothing. */
async function apply(object: object, ...flags: string[]): Promise<string> {
  const { stderr } = await stage.kubectl(
    ['apply', '--server-side', '-f', '-', ...flags],
    JSON.stringify(object),
  );
  return stderr;
}

async function plugin(...args: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await stage.plugin(args);
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

async function webhooksOfManifests(): Promise<readonly unknown[]> {
  const all = await loadManifests();
  return listAt(
    all.find(({ kind }) => kind === 'ValidatingWebhookConfiguration'),
    'webhooks',
  );
}

const PATIENCE_MS = 20_000;

async function eventually(check: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

function usage(name: string, spec: object): object {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'Usage',
    metadata: { name, namespace: 'default' },
    spec,
  };
}

function clusterUsage(name: string, spec: object): object {
  return { apiVersion: 'rook-deps.io/v1alpha1', kind: 'ClusterUsage', metadata: { name }, spec };
}

const MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const NAMED = { ...MAP, resourceRef: { name: 'a' } };
const SELECTED = { ...MAP, resourceSelector: { matchLabels: { app: 'a' } } };

describeOnCluster('an installation on a real API server', () => {
  beforeAll(async () => {
    stage = await InstallStage.start();
    before = await stage.everything();
  }, 120_000);
  afterAll(() => stage?.end());

  test('a dry run writes nothing', async () => {
    const client = await plugin('install', '--dry-run=client');
    expect(client.slice(-2)).toEqual([
      'validatingwebhookconfiguration.admissionregistration.k8s.io/rook-deps created (dry run)',
      'clusterrole.rbac.authorization.k8s.io/rook-deps-edit created (dry run)',
    ]);
    const server = await plugin('install', '--dry-run=server', '--grant', 'deploy');
    expect(server).toContain(
      'clusterrole.rbac.authorization.k8s.io/rook-deps-grant-deployments.apps created (server dry run)',
    );
    expect(await stage.everything()).toEqual(before);
  });

  test('says what it did to each object, and a second run changes nothing', async () => {
    const first = await plugin('install', '--wait=false');
    expect(first.every((line) => line.endsWith(' created'))).toBe(true);
    // Nobody makes what is not checked.
    expect(first.slice(-2)).toEqual([
      'validatingwebhookconfiguration.admissionregistration.k8s.io/rook-deps created',
      'clusterrole.rbac.authorization.k8s.io/rook-deps-edit created',
    ]);
    // The bundle is not among the manifests.
    expect(first).toHaveLength((await loadManifests()).length + 1);
    // Others write a status once: only then does nothing move by itself.
    await eventually(async () => {
      const watched = ['validatingadmissionpolicies,deployments,poddisruptionbudgets', '-A', '-l', MANAGED];
      const items = listAt(await stage.json(['get', ...watched]), 'items');
      const seen = items.map((item) => fieldAt(item, 'status', 'observedGeneration'));
      expect(seen).toEqual(items.map((item) => fieldAt(item, 'metadata', 'generation')));
      const deployment = items.find((item) => textAt(item, 'kind') === 'Deployment');
      expect(fieldAt(deployment, 'status', 'unavailableReplicas')).toBe(2);
    });
    const versions = await stage.resourceVersions();
    const second = await plugin('install', '--wait=false');
    expect(second.filter((line) => !line.endsWith(' unchanged'))).toEqual([]);
    expect(await stage.resourceVersions()).toEqual(versions);
    const dry = await plugin('install', '--dry-run=server');
    expect(dry.filter((line) => !line.endsWith(' unchanged (server dry run)'))).toEqual([]);
  });

  test('every manifest passes strict validation', async () => {
    const { stdout } = await stage.plugin([
      'install',
      '--dry-run=client',
      '-o',
      'yaml',
      '--grant',
      'deployments.apps',
    ]);
    expect(stdout.match(/^kind: /gm)?.length).toBe((await loadManifests()).length + 2);
    const flags = ['--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict'];
    const { code, stderr } = await stage.kubectl(['apply', ...flags, '-f', '-'], stdout);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('until somebody has seen the controller run, no deletion is refused for its absence', async () => {
    const { stderr } = await stage.plugin(['install', '--wait=false']);
    expect(stderr).toContain('Rook resources can be deleted while it does not run');
    const pool = {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephBlockPool',
      metadata: { name: 'free', namespace: 'default' },
      spec: { replicated: { size: 3 } },
    };
    await apply(pool);
    expect(await stage.kubectl(['delete', 'cephblockpool/free'])).toMatchObject({ code: 0 });
  });

  describe('the definitions', () => {
    beforeAll(async () => {
      // Nobody serves the webhook here: only the definitions are to judge.
      await stage.kubectl(['delete', 'validatingwebhookconfiguration/rook-deps']);
    });
    afterAll(async () => {
      await stage.kubectl(['delete', 'usages', '--all', '-A']);
      await stage.kubectl(['delete', 'clusterusages', '--all']);
      await plugin('install', '--wait=false');
    });

    test.for([
      {
        name: 'neither by nor reason',
        object: usage('a', { of: NAMED }),
        message: 'either "spec.by" or "spec.reason" must be specified.',
      },
      {
        name: 'an empty reason',
        object: usage('a', { of: NAMED, reason: '' }),
        message: 'spec.reason in body should be at least 1 chars long',
      },
      {
        name: 'neither name nor selector of what is used',
        object: usage('a', { of: MAP, reason: 'r' }),
        message: 'spec.of: Invalid value: either a resource reference or a resource selector should be set.',
      },
      {
        name: 'neither name nor selector of what uses it',
        object: clusterUsage('a', { of: NAMED, by: MAP }),
        message: 'spec.by: Invalid value: either a resource reference or a resource selector should be set.',
      },
      {
        name: 'an object of another namespace without a user of it',
        object: usage('a', { of: { ...MAP, resourceRef: { name: 'a', namespace: 'b' } }, reason: 'r' }),
        message: 'cross-namespace "spec.of" is not allowed without "spec.by" resource.',
      },
      {
        name: 'a selector in another namespace without a user of it',
        object: usage('a', { of: { ...MAP, resourceSelector: { namespace: 'b' } }, reason: 'r' }),
        message: 'cross-namespace "spec.of" is not allowed without "spec.by" resource.',
      },
      {
        name: 'no kind',
        object: usage('a', { of: { ...NAMED, kind: '' }, reason: 'r' }),
        message: 'spec.of.kind',
      },
      {
        name: 'an empty name',
        object: usage('a', { of: { ...MAP, resourceRef: { name: '' } }, reason: 'r' }),
        message: 'spec.of.resourceRef.name',
      },
      {
        name: 'nothing used',
        object: clusterUsage('a', { reason: 'r' }),
        message: 'spec.of: Required value',
      },
    ])('refuse $name', async ({ object, message }) => {
      expect(await apply(object)).toContain(message);
    });

    test('take an object of another namespace where something uses it, and for a ClusterUsage', async () => {
      const elsewhere = { ...MAP, resourceRef: { name: 'a', namespace: 'b' } };
      expect(await apply(usage('far', { of: elsewhere, by: NAMED }))).toBe('');
      expect(await apply(clusterUsage('far', { of: elsewhere, reason: 'r' }))).toBe('');
    });

    const KNOWN = 'cannot be changed once its resource is known.';
    const BOTH = { of: SELECTED, by: { ...SELECTED, kind: 'Secret' } };
    test.for([
      {
        name: 'a resolved name',
        from: { of: NAMED, reason: 'r' },
        to: { of: { ...MAP, resourceRef: { name: 'b' } }, reason: 'r' },
        message: KNOWN,
      },
      {
        name: 'the kind of a resolved name',
        from: { of: NAMED, reason: 'r' },
        to: { of: { ...NAMED, kind: 'Secret' }, reason: 'r' },
        message: KNOWN,
      },
      {
        name: 'the namespace of a resolved name',
        from: { of: NAMED, by: NAMED },
        to: { of: { ...MAP, resourceRef: { name: 'a', namespace: 'b' } }, by: NAMED },
        message: KNOWN,
      },
      {
        name: 'the selector beside a resolved name',
        from: { of: { ...SELECTED, ...NAMED }, by: NAMED },
        to: { of: { ...NAMED, resourceSelector: { namespace: 'b' } }, by: NAMED },
        message: KNOWN,
      },
      {
        name: 'a resolved user',
        from: { of: NAMED, by: NAMED },
        to: { of: NAMED, by: { ...NAMED, kind: 'Secret' } },
        message: KNOWN,
      },
      {
        name: 'a resolved name into a selector',
        from: { of: NAMED, reason: 'r' },
        to: { of: SELECTED, reason: 'r' },
        message: KNOWN,
      },
      {
        name: 'no user into one',
        from: { of: NAMED, reason: 'r' },
        to: { of: NAMED, by: NAMED, reason: 'r' },
        message: '"spec.by" can be neither added nor removed.',
      },
      {
        name: 'a user into none',
        from: { of: NAMED, by: NAMED, reason: 'r' },
        to: { of: NAMED, reason: 'r' },
        message: '"spec.by" can be neither added nor removed.',
      },
      {
        name: 'a selector, before it is resolved',
        from: BOTH,
        to: { of: { ...MAP, resourceSelector: { matchControllerRef: true } }, by: BOTH.by },
        message: undefined,
      },
      {
        name: 'a selector into what it found',
        from: BOTH,
        to: { of: { ...SELECTED, resourceRef: { name: 'a', namespace: 'b' } }, by: BOTH.by },
        message: undefined,
      },
      {
        name: 'the reason',
        from: { of: NAMED, reason: 'r' },
        to: { of: NAMED, reason: 's', replayDeletion: true },
        message: undefined,
      },
    ])('changing $name: $message', async ({ from, to, message }) => {
      for (const make of [usage, clusterUsage]) {
        const made = make('changing', from) as KubeObject;
        await stage.kubectl(['delete', nameOf(made), '--ignore-not-found']);
        expect(await apply(made)).toBe('');
        const { stderr } = await stage.kubectl(['replace', '-f', '-'], JSON.stringify(make('changing', to)));
        if (message === undefined) expect(stderr).toBe('');
        else expect(stderr).toContain(message);
      }
    });

    test('show what people look for', async () => {
      const shown = usage('shown', { of: NAMED, reason: 'r' });
      await apply(shown);
      const condition = {
        type: 'Ready',
        status: 'False',
        reason: 'UsedNotFound',
        message: 'gone',
        lastTransitionTime: '2026-11-18T20:00:00Z',
        observedGeneration: 1,
      };
      const attempt = {
        time: '2026-11-18T20:00:00Z',
        user: { username: 'jane', uid: 'u', groups: ['g'] },
        uid: 'o',
        propagationPolicy: 'Foreground',
      };
      const status = {
        details: 'r',
        of: { uid: 'o' },
        by: { uid: 'b' },
        released: false,
        attempts: [attempt],
        conditions: [condition],
      };
      const flags = ['--subresource=status', '--validate=strict'];
      await eventually(async () =>
        expect(await apply({ ...shown, status }, ...flags)).toContain('Forbidden'),
      );
      expect(await apply({ ...shown, status }, ...flags, '--as', CONTROLLER)).toBe('');
      const { stdout } = await stage.kubectl(['get', 'rdu/shown', '-o', 'wide']);
      expect(stdout).toMatch(/^NAME +DETAILS +READY +REASON +AGE\nshown +r +False +UsedNotFound +\S+\n$/);
      expect(fieldAt(await stage.json(['get', 'usage/shown']), 'status')).toEqual(status);
      expect((await stage.kubectl(['get', 'rook-deps', '-o', 'name'])).stdout).toContain(
        'usage.rook-deps.io/shown',
      );
    });
  });

  describe('the policies', () => {
    const LABELS = 'rook-deps.io/in-use=true';
    beforeAll(async () => {
      // Nobody serves the webhook, which would keep what is labelled for ever.
      await stage.kubectl(['delete', 'validatingwebhookconfiguration/rook-deps']);
      await stage.kubectl(['create', 'configmap', 'kept']);
      await stage.kubectl(['label', 'configmap/kept', LABELS, 'rook-deps.io/critical=true']);
      await stage.kubectl(['create', 'namespace', 'kept']);
      await stage.kubectl(['label', 'namespace/kept', LABELS]);
      // It takes up to a second until a policy is obeyed.
      const dryRun = ['label', 'configmap/kept', 'rook-deps.io/in-use-', '--dry-run=server'];
      while ((await stage.kubectl(dryRun)).code === 0) await sleep(100);
    });
    afterAll(async () => {
      await stage.kubectl(['delete', 'configmap/kept', 'namespace/kept']);
      await plugin('install', '--wait=false');
    });

    test.for([
      {
        name: 'taking a label off',
        args: ['label', 'configmap/kept', 'rook-deps.io/in-use-'],
        next: 'unprotect configmaps/kept -n default',
      },
      {
        name: 'changing a label',
        args: ['label', '--overwrite', 'configmap/kept', 'rook-deps.io/in-use=false'],
        next: 'unprotect configmaps/kept -n default',
      },
      {
        name: 'taking the other label off',
        args: ['label', 'configmap/kept', 'rook-deps.io/critical-'],
        next: 'why configmaps/kept -n default',
      },
      {
        name: 'taking all labels off',
        args: ['patch', 'configmap/kept', '--type=merge', '-p', '{"metadata":{"labels":null}}'],
        next: 'unprotect configmaps/kept -n default',
      },
      {
        name: 'taking it off a namespace',
        args: ['label', 'namespace/kept', 'rook-deps.io/in-use-'],
        next: 'why namespaces/kept',
      },
      {
        name: 'taking it off through a subresource',
        args: [
          'patch',
          'namespace/kept',
          '--subresource=status',
          '--type=merge',
          '-p',
          '{"metadata":{"labels":{"rook-deps.io/in-use":null}}}',
        ],
        next: 'why namespaces/kept',
      },
    ])('refuse $name, and say what to do instead', async ({ args, next }) => {
      const { code, stderr } = await stage.kubectl(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error from server \(Forbidden\): /);
      expect(stderr.trimEnd().endsWith(`: kubectl rook-deps ${next}`)).toBe(true);
    });

    test('let everything else be changed, and the controller take its label off', async () => {
      expect((await stage.kubectl(['label', 'configmap/kept', 'a=b'])).code).toBe(0);
      const asController = ['label', 'namespace/kept', 'rook-deps.io/in-use-', '--as', CONTROLLER];
      expect((await stage.kubectl(asController)).stderr).toBe('');
    });

    test('let the controller change nothing of definitions and namespaces but its labels', async () => {
      const crd = 'crd/cephclusters.ceph.rook.io';
      const as = ['--as', CONTROLLER];
      expect((await stage.kubectl(['label', crd, LABELS, ...as])).stderr).toBe('');
      const refused = async (...args: string[]): Promise<void> => {
        const { stderr } = await stage.kubectl([...args, ...as]);
        expect(stderr).toMatch(/rook-deps changes (nothing but labels|no labels but its own)/);
      };
      await refused('label', crd, 'a=b');
      await refused('annotate', crd, 'a=b');
      await refused('patch', crd, '--type=merge', '-p', '{"spec":{"names":{"categories":["x"]}}}');
      await refused('patch', 'namespace/kept', '--type=merge', '-p', '{"metadata":{"finalizers":["a.b/c"]}}');
      expect((await stage.kubectl(['label', crd, 'rook-deps.io/in-use-', ...as])).stderr).toBe('');
    });
  });

  test.for([
    { verb: 'patch', resource: 'cephclusters.ceph.rook.io', may: true },
    { verb: 'delete', resource: 'cephnfses.ceph.rook.io', may: true },
    { verb: 'create', resource: 'cephclusters.ceph.rook.io', may: false },
    { verb: 'list', resource: 'persistentvolumes', may: true },
    { verb: 'delete', resource: 'persistentvolumes', may: false },
    { verb: 'update', resource: 'usages.rook-deps.io/status', may: true },
    { verb: 'create', resource: 'cephfilesystems.ceph.rook.io', may: true },
    { verb: 'create', resource: 'usages.rook-deps.io', may: true },
    { verb: 'create', resource: 'storageclaims.rook-deps.io', may: false },
    { verb: 'delete', resource: 'namespaces', may: false },
    { verb: 'delete', resource: 'customresourcedefinitions', may: false },
    { verb: 'get', resource: 'secrets', may: false },
    { verb: 'get', resource: 'secrets/rook-deps-webhook', may: true },
    { verb: 'create', resource: 'secrets', may: false },
    { verb: 'create', resource: 'leases.coordination.k8s.io', may: true },
    { verb: 'create', resource: 'subjectaccessreviews.authorization.k8s.io', may: true },
    { verb: 'patch', resource: 'validatingwebhookconfigurations/rook-deps', may: true },
    { verb: 'patch', resource: 'validatingwebhookconfigurations/other', may: false },
    { verb: 'delete', resource: 'validatingwebhookconfigurations/rook-deps', may: false },
    { verb: 'update', resource: 'criticalservices.rook-deps.io/status', may: false },
    { verb: 'patch', resource: 'criticalservices.rook-deps.io/status', may: true },
    { verb: 'create', resource: 'criticalservices.rook-deps.io', may: false },
    { verb: 'patch', resource: 'deployments.apps', may: true },
    { verb: 'update', resource: 'deployments.apps', may: false },
    { verb: 'delete', resource: 'deployments.apps', may: false },
    { verb: 'patch', resource: 'nodes', may: true },
    { verb: 'delete', resource: 'nodes', may: false },
    { verb: 'delete', resource: 'pods', may: false },
    { verb: 'create', resource: 'nodemaintenances.rook-deps.io', may: false },
    { verb: 'get', resource: 'configmaps/rook-deps-maintenance', may: true },
    { verb: 'patch', resource: 'configmaps/rook-deps-maintenance', may: false },
    { verb: 'impersonate', resource: 'users', may: false },
  ])('the controller may $verb $resource: $may', async ({ verb, resource, may }) => {
    const { stdout } = await stage.kubectl(['auth', 'can-i', verb, resource, ...NS, '--as', CONTROLLER]);
    expect(stdout.trim()).toBe(may ? 'yes' : 'no');
  });

  test.for([
    { verb: 'create', resource: 'pods', subresource: 'eviction' },
    { verb: 'patch', resource: 'nodemaintenances.rook-deps.io', subresource: 'status' },
  ])('the controller may $verb $resource/$subresource', async ({ verb, resource, subresource }) => {
    const words = ['auth', 'can-i', verb, resource, `--subresource=${subresource}`, '-A', '--as', CONTROLLER];
    expect((await stage.kubectl(words)).stdout.trim()).toBe('yes');
  });

  test('a grant lets the controller protect a kind more, and stays', async () => {
    await plugin('install', '--wait=false', '--grant', 'deploy,svc');
    await plugin('install', '--wait=false', '--grant', 'statefulsets.apps');
    const can = async (resource: string): Promise<string> =>
      (
        await stage.kubectl(['auth', 'can-i', 'delete', resource, '-n', 'default', '--as', CONTROLLER])
      ).stdout.trim();
    await eventually(async () => {
      const all = ['deployments.apps', 'services', 'statefulsets.apps', 'daemonsets.apps'];
      expect(await Promise.all(all.map(can))).toEqual(['yes', 'yes', 'yes', 'no']);
    });
    await plugin('install', '--wait=false', '--compose', 'secrets');
    await eventually(async () => {
      const may = await stage.kubectl(['auth', 'can-i', 'create', 'secrets', '-A', '--as', CONTROLLER]);
      expect(may.stdout.trim()).toBe('yes');
      const protectOnly = await stage.kubectl([
        'auth',
        'can-i',
        'create',
        'services',
        '-A',
        '--as',
        CONTROLLER,
      ]);
      expect(protectOnly.stdout.trim()).toBe('no');
    });
    const unknown = await stage.plugin(['install', '--wait=false', '--grant', 'nosuchthings']);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: `error: the server doesn't have a resource type "nosuchthings"\n`,
    });
  });

  test('keeps what was chosen, and its namespace', async () => {
    await plugin('install', '--wait=false', '--replicas', '3', '--image', 'example.org/node:24');
    await plugin('install', '--wait=false');
    const deployment = await stage.json(['get', 'deployment/rook-deps-controller', ...NS]);
    expect(fieldAt(deployment, 'spec', 'replicas')).toBe(3);
    expect(textAt(listAt(deployment, 'spec', 'template', 'spec', 'containers')[0], 'image')).toBe(
      'example.org/node:24',
    );
    const moved = await stage.plugin(['install', '--wait=false', '--namespace', 'elsewhere']);
    expect(moved.stderr).toContain('already installed in namespace "rook-deps-system"');
    const [client, installed] = await plugin('version');
    expect(client).toMatch(/^Client Version: v/);
    expect(installed).toMatch(
      /^Installed Version: v\S+ \(bundle [0-9a-f]{16}, namespace rook-deps-system\)$/,
    );
  });

  test.for([
    '--wait=false -o yaml',
    '--wait=false -o json',
    '--dry-run=server -o yaml',
    '--dry-run=server -o json',
  ])('shows nothing of what its Secret holds: %s', async (flags) => {
    // Stands in for what the controller does.
    const data = { 'ca.key': Buffer.from('a private key').toString('base64') };
    await stage.kubectl(['patch', 'secret/rook-deps-webhook', ...NS, '-p', JSON.stringify({ data })]);
    const text = (await plugin('install', ...flags.split(' '))).join('\n');
    expect(text).toMatch(/name"?: "?rook-deps-webhook/);
    expect(text).not.toContain(data['ca.key']);
    expect(text).not.toContain('ca.key');
  });

  test('leaves the path of the webhooks to the controller, and begins with its token', async () => {
    const target = 'validatingwebhookconfiguration/rook-deps';
    const paths = async (): Promise<readonly (string | undefined)[]> =>
      listAt(await stage.json(['get', target]), 'webhooks').map((webhook) =>
        textAt(webhook, 'clientConfig', 'service', 'path'),
      );
    const plain = await paths();
    expect(plain).toEqual(
      (await webhooksOfManifests()).map((webhook) => textAt(webhook, 'clientConfig', 'service', 'path')),
    );
    // Stands in for what the controller does.
    const token = '0a'.repeat(32);
    const locked = plain.map((path) => `${path}/${token}`);
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const data = { 'ca.crt': base64('a certificate'), 'path-token': base64(token) };
    await stage.kubectl(['patch', 'secret/rook-deps-webhook', ...NS, '-p', JSON.stringify({ data })]);
    const steps = locked.flatMap((value, at) => [
      { op: 'add', path: `/webhooks/${at}/clientConfig/caBundle`, value: data['ca.crt'] },
      { op: 'add', path: `/webhooks/${at}/clientConfig/service/path`, value },
    ]);
    await stage.kubectl(['patch', target, '--type=json', '-p', JSON.stringify(steps)]);
    // The widest webhook insists from now on, and nobody is warned of the contrary.
    const { code, stderr } = await stage.plugin(['install', '--wait=false']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Warning') });
    expect(await paths()).toEqual(locked);
    const unchanged = async (): Promise<void> => {
      const version = textAt(await stage.json(['get', target]), 'metadata', 'resourceVersion');
      const lines = await plugin('install', '--wait=false');
      expect(lines.filter((line) => !line.endsWith(' unchanged'))).toEqual([]);
      expect(textAt(await stage.json(['get', target]), 'metadata', 'resourceVersion')).toBe(version);
      expect(await paths()).toEqual(locked);
    };
    await unchanged();
    await stage.kubectl(['delete', target]);
    expect((await plugin('install', '--wait=false', '-o', 'yaml')).join('\n')).not.toContain(token);
    await unchanged();
  });

  test(
    'an upgrade waits for the new controller, and then removes the old bundle',
    { timeout: 120_000 },
    async () => {
      const maps = async (): Promise<readonly string[]> =>
        (
          await stage.kubectl([
            'get',
            'configmaps',
            ...NS,
            '-o',
            'name',
            '-l',
            'app.kubernetes.io/component=bundle',
          ])
        ).stdout
          .trim()
          .split('\n');
      const old = await maps();
      expect(old).toHaveLength(1);
      // Stands in for what the controller does.
      const data = { 'ca.crt': Buffer.from('a certificate').toString('base64') };
      await stage.kubectl(['patch', 'secret/rook-deps-webhook', ...NS, '-p', JSON.stringify({ data })]);

      const signal = AbortSignal.timeout(60_000);
      const { transport, writer } = await liveClient(stage.plane);
      const reader = kubeReader(transport, { types: refreshedTypes(transport, systemClock) });
      const options = { namespace: 'rook-deps-system', version: 'v9.9.9', grants: [] };
      const objects = renderManifests(
        await loadManifests(),
        options,
        bundleOf(Buffer.from('another bundle')),
      );
      const changes: string[] = [];
      const said: string[] = [];
      const installing = install(
        { namespace: options.namespace, objects, dryRun: false, waitMs: 60_000 },
        {
          reader,
          // Nobody serves the webhook that is asked at the end.
          writer: { ...writer, create: (object) => Promise.resolve(object) },
          clock: systemClock,
          report: ({ object, word }: Change) => void changes.push(`${object.kind} ${word}`),
          say: (text) => void said.push(text),
          warn: (text) => void said.push(text),
        },
        signal,
      );
      let isDone = false;
      const done = installing.finally(() => (isDone = true));
      await eventually(async () => {
        expect(await maps()).toHaveLength(2);
        expect(said.at(-1)).toContain('replicas are available');
      });
      while (!isDone) {
        await stage.markPodsReady();
        await sleep(100);
      }
      await done;
      transport.close();
      expect(changes).toContain('Deployment configured');
      expect(changes.indexOf('ConfigMap created')).toBeLessThan(changes.indexOf('Deployment configured'));
      expect(changes.at(-1)).toBe('ConfigMap deleted');
      const [left, ...others] = await maps();
      expect({ others, isOld: old.includes(left ?? '') }).toEqual({ others: [], isOld: false });
      const webhooks = listAt(
        await stage.json(['get', 'validatingwebhookconfiguration/rook-deps']),
        'webhooks',
      );
      expect(
        webhooks.map((webhook) => [
          textAt(webhook, 'failurePolicy'),
          textAt(webhook, 'clientConfig', 'caBundle'),
        ]),
      ).toEqual(
        (await webhooksOfManifests()).map((webhook) => [textAt(webhook, 'failurePolicy'), data['ca.crt']]),
      );
      const { stderr } = await stage.plugin(['version']);
      expect(stderr).toContain('Warning: v9.9.9 is installed, and this is ');
    },
  );

  test('uninstall refuses while protections exist, and asks before it acts', async () => {
    await stage.kubectl(['delete', 'validatingwebhookconfiguration/rook-deps']);
    await apply({
      ...usage('holding', { of: NAMED, reason: 'r' }),
      metadata: { name: 'holding', namespace: 'default', finalizers: ['rook-deps.io/usage'] },
    });
    await apply(
      clusterUsage('holding', {
        of: { ...MAP, resourceRef: { name: 'a', namespace: 'default' } },
        reason: 'r',
      }),
    );
    await apply({
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'CriticalService',
      metadata: { name: 'holding', finalizers: ['rook-deps.io/critical-service'] },
      spec: {
        provider: { group: 'apps', resource: 'deployments', namespace: 'default', name: 'd' },
        criteria: [{ type: 'SpecificResource', specificResource: { resource: 'namespaces', name: 'n' } }],
      },
    });
    const refused = await stage.plugin(['uninstall', '--yes']);
    expect(refused.code).toBe(1);
    expect(refused.stderr.split('\n')).toEqual([
      "error: 3 protections exist; remove them with 'kubectl rook-deps unprotect', or give them up with --force:",
      '  clusterusage.rook-deps.io/holding',
      '  criticalservice.rook-deps.io/holding',
      '  usage.rook-deps.io/holding in namespace default',
      '',
    ]);
    const unasked = await stage.plugin(['uninstall', '--force']);
    expect(unasked).toMatchObject({ code: 1, stderr: 'error: confirmation required; pass --yes\n' });
    const dry = await plugin('uninstall', '--force', '--dry-run=server');
    expect(dry).toContain('namespace "rook-deps-system" deleted (server dry run)');
    expect((await stage.kubectl(['get', 'usage/holding', 'namespace/rook-deps-system'])).code).toBe(0);
  });

  test('uninstall leaves nothing behind', { timeout: 120_000 }, async () => {
    const marked = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'marked',
        namespace: 'default',
        labels: { 'rook-deps.io/in-use': 'true', mine: 'yes' },
      },
      spec: { ports: [{ port: 80 }] },
    };
    await apply(marked);
    const whole = {
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'StorageComposite',
      metadata: { name: 'whole' },
    };
    const template = {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephBlockPool',
      metadata: { name: 'composed', namespace: 'default' },
      spec: { replicated: { size: 3 } },
    };
    await apply({ ...whole, spec: { resources: [{ name: 'pool', template }] } });
    const uid = textAt(await stage.json(['get', 'storagecomposite/whole']), 'metadata', 'uid');
    const owner = {
      ...whole,
      metadata: undefined,
      name: 'whole',
      uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    await apply({
      ...template,
      metadata: {
        ...template.metadata,
        labels: { 'rook-deps.io/composite': 'whole' },
        ownerReferences: [owner],
      },
    });
    for (const target of ['namespace/default', 'crd/cephclusters.ceph.rook.io'])
      await stage.kubectl(['label', target, 'rook-deps.io/in-use=true', 'rook-deps.io/critical=true']);
    const lines = await plugin('uninstall', '--force', '--yes');
    expect(lines[0]).toBe('clusterrole.rbac.authorization.k8s.io "rook-deps-edit" deleted');
    expect(lines).toContain('usage.rook-deps.io/holding released');
    expect(lines).toContain('criticalservice.rook-deps.io/holding released');
    expect(lines).toContain('service/marked unlabeled');
    expect(
      lines.indexOf('deployment.apps "rook-deps-controller" deleted from rook-deps-system namespace'),
    ).toBeLessThan(lines.indexOf('service/marked unlabeled'));
    const labels = fieldAt(await stage.json(['get', 'service/marked']), 'metadata', 'labels');
    expect(labels).toEqual({ mine: 'yes' });
    expect(lines).toContain('storagecomposite.rook-deps.io/whole released');
    const pool = fieldAt(await stage.json(['get', 'cephblockpool/composed']), 'metadata');
    expect(pool).not.toHaveProperty('ownerReferences');
    expect(pool).not.toHaveProperty('deletionTimestamp');
    expect(pool).not.toHaveProperty('labels');
    await stage.kubectl(['delete', 'service/marked', 'cephblockpool/composed']);
    await eventually(async () => expect(await stage.everything()).toEqual(before));
    const again = await stage.plugin(['uninstall']);
    expect(again).toMatchObject({ code: 0, stderr: 'No resources found: rook-deps is not installed.\n' });
  });

  test('its manifests can be applied server-side by kubectl', { timeout: 120_000 }, async () => {
    const rendered = (await plugin('install', '--dry-run=client', '-o', 'yaml')).join('\n');
    const { code, stdout, stderr } = await stage.kubectl(['apply', '--server-side', '-f', '-'], rendered);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toHaveLength((await loadManifests()).length + 1);
    expect((await stage.plugin(['version'])).stdout).toContain('Installed Version: v');
    // Why the help says so.
    const clientSide = await stage.kubectl(['apply', '-f', '-', '--dry-run=server'], rendered);
    expect(clientSide.stderr).toContain('metadata.annotations: Too long');
    const [first, second] = await plugin('uninstall', '--yes');
    expect(first).toBe('clusterrole.rbac.authorization.k8s.io "rook-deps-edit" deleted');
    expect(second).toBe('validatingwebhookconfiguration.admissionregistration.k8s.io "rook-deps" deleted');
    await eventually(async () => expect(await stage.everything()).toEqual(before));
  });

  test(
    'waits until the controller runs from its ConfigMap and the webhook answers',
    { timeout: 120_000 },
    async () => {
      const signal = AbortSignal.timeout(60_000);
      const installing = stage.plugin(['install']);
      const controller = await stage.runPods(signal);
      try {
        const { code, stdout, stderr } = await installing;
        expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
          'validatingwebhookconfiguration.admissionregistration.k8s.io/rook-deps created',
          'clusterrole.rbac.authorization.k8s.io/rook-deps-edit created',
        ]);
        expect(await stage.plugin(['version'])).toMatchObject({ code: 0, stderr: '' });
      } finally {
        controller.kill('SIGKILL');
        await once(controller, 'exit');
      }
      await plugin('uninstall', '--yes');
      await eventually(async () => expect(await stage.everything()).toEqual(before));
    },
  );
});
