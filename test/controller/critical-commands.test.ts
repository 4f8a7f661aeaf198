import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fieldAt, listAt, textAt } from '#pkg/object';
import type { DependencyReport } from '#pkg/verdict';
import { deployment } from './critical-objects.ts';
import { localInstall, type LocalInstall } from './local-install.ts';

const WAIT = { timeout: 30_000, interval: 200 };
const NAME = 'deployment-rook-ceph-rook-ceph-operator-2268f1e2';
const COOL = 'deployment-default-cool-eb934c01';

/** Takes off what was added. */
const ONLY_21 = JSON.stringify([23, 22, 21].map((at) => ({ op: 'remove', path: `/spec/criteria/${at}` })));

let install: LocalInstall;

beforeAll(async () => {
  install = await localInstall({ kinds: [] });
  await install.route(await install.start());
  await install.kubectl(['create', 'ns', 'rook-ceph']);
  await install.apply([
    deployment('rook-ceph', 'rook-ceph-operator'),
    {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephBlockPool',
      metadata: { name: 'replicapool', namespace: 'rook-ceph', finalizers: ['cephblockpool.ceph.rook.io'] },
      spec: { replicated: { size: 3 } },
    },
  ]);
}, 180_000);

afterAll(() => install?.end());

async function stored(name: string): Promise<unknown> {
  const { stdout } = await install.kubectl(['get', 'criticalservice', name, '-o', 'json']);
  return JSON.parse(stdout);
}

test('protect without arguments lists what is worth protecting and is not', async () => {
  const { stdout, stderr, code } = await install.plugin(['protect']);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    'PROTECT IT WITH',
    'kubectl rook-deps protect operator -n rook-ceph',
    'kubectl rook-deps protect cephblockpool/replicapool -n rook-ceph --reason "holds data"',
  ]);
});

describe('protect operator', () => {
  test('keeps the Rook operator by the finalizers of all installed Rook kinds', async () => {
    const made = await install.plugin(['protect', 'operator']);
    expect(made).toMatchObject({
      stderr: '',
      stdout: `criticalservice.rook-deps.io/${NAME} created\n`,
      code: 0,
    });
    const service = await stored(NAME);
    const criteria = listAt(service, 'spec', 'criteria').map((one) => fieldAt(one, 'finalizer'));
    expect(criteria).toContainEqual({
      group: 'ceph.rook.io',
      resource: 'cephnfses',
      finalizerName: 'cephnfs.ceph.rook.io',
    });
    expect(criteria).toContainEqual({
      group: 'objectbucket.io',
      resource: 'objectbucketclaims',
      finalizerName: 'objectbucket.io/finalizer',
    });
    expect(criteria).toHaveLength(19 + 2);
    const refused = await install.kubectl(['delete', 'deploy/rook-ceph-operator', '-n', 'rook-ceph']);
    expect(refused.stderr).toContain(
      '1 cephblockpools.ceph.rook.io with finalizer cephblockpool.ceph.rook.io: rook-ceph/replicapool',
    );
    expect((await install.kubectl(['delete', 'ns', 'rook-ceph'])).stderr).toContain('(Conflict)');
  });

  test('changes nothing when it is run again', async () => {
    const again = await install.plugin(['protect', 'operator']);
    expect(again.stdout).toBe(
      `criticalservice.rook-deps.io/${NAME} unchanged\nIt waits for 21 criteria, 0 new; deletionPolicy Strict, replayDeletion false.\n`,
    );
  });

  test('keeps what it waits for when something is added to it', async () => {
    const more = ['--critical', 'deploy/rook-ceph-operator', '-n', 'rook-ceph'];
    const added = await install.plugin(['protect', ...more, '--resource', 'cephcluster/none']);
    expect(added.stdout).toBe(
      `criticalservice.rook-deps.io/${NAME} configured\nIt waits for 22 criteria, 1 new; deletionPolicy Strict, replayDeletion false.\n`,
    );
    expect(listAt(await stored(NAME), 'spec', 'criteria')).toHaveLength(22);
    const refused = await install.kubectl(['delete', 'deploy/rook-ceph-operator', '-n', 'rook-ceph']);
    expect(refused.stderr).toContain('1 cephblockpools.ceph.rook.io with finalizer');
    const both = await Promise.all(
      ['a', 'b'].map((name) => install.plugin(['protect', ...more, '--resource', `cephcluster/${name}`])),
    );
    expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array(2).fill({ code: 0, stderr: '' }),
    );
    expect(listAt(await stored(NAME), 'spec', 'criteria')).toHaveLength(24);
    await install.kubectl(['patch', 'criticalservice', NAME, '--type=json', '-p', ONLY_21]);
  });

  test('is shown by protections, and no longer advised', async () => {
    const listed = await install.plugin(['protections']);
    expect(listed.stdout).toContain('deployments.apps rook-ceph/rook-ceph-operator');
    expect(listed.stdout).toContain('21 criteria');
    const wide = await install.plugin(['protections', '-o', 'wide']);
    const words =
      '1 cephblockpools.ceph.rook.io with finalizer cephblockpool.ceph.rook.io: rook-ceph/replicapool';
    expect(wide.stdout).toContain(words);
    expect(listed.stdout).toContain(`${words.slice(0, 77)}… `);
    expect((await install.plugin(['protect', '-o', 'name'])).stdout).toBe('cephblockpool/replicapool\n');
  });

  test('is no trace that was left, to check, where a controller works that nobody installed', async () => {
    for (const flags of [[], ['--pre']]) {
      const { stdout } = await install.plugin(['check', ...flags, '-o', 'json']);
      const rows = listAt(JSON.parse(stdout), 'checks');
      const traces = rows.filter((row) => textAt(row, 'section') === 'Traces');
      expect(traces.map((row) => textAt(row, 'result'))).toEqual(['ok', 'ok']);
      expect(stdout).not.toContain('uninstall');
      if (flags.length === 0) expect(stdout).toContain('it is not, but a controller is at work: ');
    }
  });

  test('is told by why, live and from a dump', async () => {
    const args = ['why', 'deployment/rook-ceph-operator', '-n', 'rook-ceph', '-o', 'json'];
    const live = await install.plugin(args);
    expect(live.code).toBe(0);
    const report = JSON.parse(live.stdout) as DependencyReport;
    expect(report.verdict).toBe('Blocked');
    expect(report.causes.map(({ code, object }) => `${code} ${object.kind}/${object.name}`)).toEqual([
      `RD045 CriticalService/${NAME}`,
    ]);
    expect(report.causes[0]?.message).toContain('waits for 1 cephblockpools.ceph.rook.io');
    const { stdout } = await install.kubectl([
      'get',
      'deploy,criticalservices',
      '-n',
      'rook-ceph',
      '-o',
      'json',
    ]);
    const file = join(install.plane.folder, 'dump.json');
    await writeFile(file, stdout);
    const saved = await install.plugin([...args, '--from', file]);
    expect((JSON.parse(saved.stdout) as DependencyReport).causes).toEqual(report.causes);
  });

  test('is told by why for the namespace, and for the CriticalService itself', async () => {
    const home = await install.plugin(['why', 'namespace/rook-ceph', '-o', 'json']);
    expect((JSON.parse(home.stdout) as DependencyReport).causes[0]?.code).toBe('RD045');
    const service = await install.plugin(['why', `criticalservice/${NAME}`, '-o', 'json']);
    const { verdict, causes } = JSON.parse(service.stdout) as DependencyReport;
    expect(verdict).toBe('Blocked');
    expect(causes.map(({ code, object }) => `${code} ${object.kind}/${object.name}`)).toEqual([
      'RD046 Deployment/rook-ceph-operator',
    ]);
  });

  test('is undone by unprotect, and the operator stays', async () => {
    const dry = await install.plugin([
      'unprotect',
      'deploy/rook-ceph-operator',
      '-n',
      'rook-ceph',
      '--dry-run=server',
    ]);
    expect(dry.stdout).toBe(`criticalservice.rook-deps.io/${NAME} deleted (server dry run)\n`);
    const undone = await install.plugin(['unprotect', 'deploy/rook-ceph-operator', '-n', 'rook-ceph']);
    expect(undone).toMatchObject({ stderr: '', stdout: `criticalservice.rook-deps.io/${NAME} deleted\n` });
    expect((await install.kubectl(['get', 'criticalservices', '-o', 'name'])).stdout).toBe('');
    const left = await install.kubectl(['get', 'deploy/rook-ceph-operator', '-n', 'rook-ceph', '-o', 'json']);
    expect(fieldAt(JSON.parse(left.stdout), 'metadata', 'labels')).toBeUndefined();
  });
});

test('protect --critical keeps any workload by finalizers and objects', async () => {
  await install.apply([deployment('default', 'cool')]);
  const made = await install.plugin([
    'protect',
    '--critical',
    'deploy/cool',
    '-n',
    'default',
    '--finalizer',
    'cephbp=cephblockpool.ceph.rook.io',
    '--resource',
    'cephblockpool/left',
    '--replay',
  ]);
  expect(made.stdout).toBe(`criticalservice.rook-deps.io/${COOL} created\n`);
  expect(made.stderr).toContain(
    'Warning: spec.replayDeletion: rook-deps may not delete deployments.apps and namespaces (grant it: kubectl rook-deps install --grant deployments.apps,namespaces)',
  );
  const service = await stored(COOL);
  expect(fieldAt(service, 'spec')).toEqual({
    provider: { group: 'apps', resource: 'deployments', namespace: 'default', name: 'cool' },
    criteria: [
      {
        type: 'Finalizer',
        finalizer: {
          group: 'ceph.rook.io',
          resource: 'cephblockpools',
          finalizerName: 'cephblockpool.ceph.rook.io',
        },
      },
      {
        type: 'SpecificResource',
        specificResource: {
          group: 'ceph.rook.io',
          resource: 'cephblockpools',
          namespace: 'default',
          name: 'left',
        },
      },
    ],
    deletionPolicy: 'Strict',
    replayDeletion: true,
  });
  // What we may not delete is said, with what would help.
  await install.kubectl(['delete', 'deploy/cool']);
  await install.kubectl([
    'patch',
    'cephbp/replicapool',
    '-n',
    'rook-ceph',
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]);
  await vi.waitFor(async () => {
    const conditions = listAt(await stored(COOL), 'status', 'conditions');
    const replayed = conditions.find((one) => textAt(one, 'type') === 'Replayed');
    expect(textAt(replayed, 'reason')).toBe('Forbidden');
    expect(textAt(replayed, 'message')).toContain('kubectl rook-deps install --grant deployments.apps');
  }, WAIT);
});

test('unprotect waits until the CriticalService is gone', async () => {
  const finalizers = (op: string, rest: object): string =>
    JSON.stringify([{ op, path: '/metadata/finalizers/1', ...rest }]);
  const patch = ['patch', 'criticalservice', COOL, '--type=json', '-p'];
  await install.kubectl([...patch, finalizers('add', { value: 'example.com/slow' })]);
  const waiting = await install.plugin(['unprotect', 'deploy/cool', '-n', 'default', '--timeout=1s']);
  expect(waiting.code).toBe(124);
  expect(waiting.stderr).toContain(`criticalservice.rook-deps.io/${COOL} is not gone after 1s`);
  await install.kubectl([...patch, JSON.stringify([{ op: 'remove', path: '/metadata/finalizers' }])]);
});

describe('wrong input', () => {
  test.for([
    {
      args: ['--critical', 'deploy'],
      words: 'invalid argument "deploy" for "--critical" flag: must be TYPE/NAME',
    },
    { args: ['--critical', 'deploy/cool'], words: 'error: --critical needs something to wait for' },
    {
      args: ['--critical', 'deploy/none', '--finalizer', 'pods=x/y'],
      words: 'deployments.apps "none" not found',
    },
    { args: ['--critical', 'deploy/cool', '--finalizer', 'pods'], words: 'must be RESOURCE.GROUP=FINALIZER' },
    {
      args: ['--critical', 'deploy/cool', '--finalizer', 'prods=x/y'],
      words: `doesn't have a resource type "prods"`,
    },
    {
      args: ['--critical', 'deploy/cool', '--resource', 'pod'],
      words: 'for "--resource" flag: must be TYPE/NAME',
    },
    { args: ['--finalizer', 'pods=x/y'], words: 'error: --finalizer needs --critical TYPE/NAME' },
    { args: ['--critical', 'deploy/cool', 'more/words'], words: '"more/words" is one too many' },
    {
      args: ['--critical', 'deploy/cool', '--resource', 'pod/p', '--deletion-policy', 'Lax'],
      words: 'must be one of Strict, BestEffort, Orphan',
    },
    { args: ['operator', '-n', 'default'], words: 'error: there is no Rook operator in namespace "default"' },
    { args: ['--reason', 'x'], words: 'error: You must specify the type of resource' },
  ])('protect $args', async ({ args, words }) => {
    const { code, stderr, stdout } = await install.plugin(['protect', ...args]);
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});
