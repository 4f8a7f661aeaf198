import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { localInstall, type LocalInstall } from './local-install.ts';

let install: LocalInstall;

beforeAll(async () => {
  install = await localInstall({ kinds: ['configmaps'] });
  await install.route(await install.start());
}, 120_000);

afterAll(async () => {
  await install?.end();
});

async function namespaceWith(name: string, ...objects: readonly string[]): Promise<readonly string[]> {
  await install.kubectl(['create', 'ns', name]);
  for (const object of objects) await install.kubectl(['create', ...object.split('/'), '-n', name]);
  return ['-n', name];
}

async function usages(namespace: string): Promise<string> {
  return (await install.kubectl(['get', 'usages', '-n', namespace, '-o', 'name'])).stdout;
}

test('protect refuses a deletion, and unprotect lets it pass', async () => {
  const ns = await namespaceWith('pass', 'configmap/used');
  const made = await install.plugin(['protect', 'configmap/used', ...ns, '--reason', 'needed']);
  expect(made).toMatchObject({ code: 0, stdout: 'usage.rook-deps.io/protect-configmap-used created\n' });
  const refused = await install.kubectl(['delete', 'configmap/used', ...ns]);
  expect(refused.stderr).toContain(
    'Error from server (Conflict): admission webhook "in-use.rook-deps.io" denied the request',
  );
  expect(refused.stderr).toContain('with reason: "needed"');
  const gone = await install.plugin(['unprotect', 'configmap/used', ...ns]);
  expect(gone.stdout).toBe('usage.rook-deps.io/protect-configmap-used deleted\n');
  // It has waited: nothing holds the object from here on.
  expect(await usages('pass')).toBe('');
  expect(await install.kubectl(['delete', 'configmap/used', ...ns])).toMatchObject({ code: 0 });
});

test('protect waits for the end of a protection that is going, and makes a new one', async () => {
  const ns = await namespaceWith('again', 'configmap/used', 'configmap/using');
  const args = ['protect', 'cm/used', ...ns, '--by', 'cm/using'];
  await install.plugin(args);
  await install.plugin(['unprotect', 'cm/used', ...ns, '--wait=false']);
  const made = await install.plugin(args);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining(' created\n') as string });
  expect(await install.kubectl(['delete', 'cm/used', ...ns])).toMatchObject({ code: 1 });
});

test('why names a usage, live as from files', async () => {
  const ns = await namespaceWith('why', 'configmap/used');
  await install.plugin(['protect', 'configmap/used', ...ns, '--reason', 'needed']);
  const live = await install.plugin(['why', 'configmap/used', ...ns, '-q']);
  expect(live.code).toBe(2);
  const { stdout } = await install.kubectl(['get', 'configmap,usage', ...ns, '-o', 'yaml']);
  const saved = await install.kubectl(['rook-deps', 'why', 'configmap/used', ...ns, '--from', '-'], {
    stdin: stdout,
  });
  expect(saved.stdout).toContain('RD039');
  expect(saved.stdout).toContain('Usage/protect-configmap-used');
  // As the refusal of its deletion says.
  const around = await install.plugin(['why', 'ns/why']);
  expect(around.stdout).toContain('BLOCKED');
  expect(around.stdout).toContain('ConfigMap/used is in use');
});

test('protections lists what is protected, by whom and why', async () => {
  const ns = await namespaceWith('listed', 'configmap/used', 'configmap/using');
  await install.plugin(['protect', 'cm/used', ...ns, '--by', 'cm/using', '--replay']);
  const { stdout } = await install.plugin(['protections', ...ns]);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 6))).toEqual([
    ['NAMESPACE', 'NAME', 'OF', 'BY', 'REASON', 'READY'],
    ['listed', 'configmap-using-uses-configmap-used', 'ConfigMap/used', 'ConfigMap/using', '<none>', 'True'],
    [''],
  ]);
  const none = await install.plugin(['protections', '-n', 'default']);
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No resources found in default namespace.\n' });
});

describe('a kind that is not granted', () => {
  test('is not protected, which is said at once with the command that helps', async () => {
    const ns = await namespaceWith('ungranted', 'serviceaccount/used');
    const made = await install.plugin([
      'protect',
      'sa/used',
      ...ns,
      '--reason',
      'needed',
      '--timeout',
      '25s',
    ]);
    expect(made.code).toBe(1);
    expect(made.stderr).toContain('is not in force: Forbidden: ');
    expect(made.stderr).toContain('kubectl rook-deps install --grant serviceaccounts');
    // Nor does it pretend to.
    expect(await install.kubectl(['delete', 'sa/used', ...ns])).toMatchObject({ code: 0 });
  });

  test('is granted and protected in one go', async () => {
    const ns = await namespaceWith('granted', 'quota/used');
    const made = await install.plugin(['protect', 'quota/used', ...ns, '--reason', 'needed', '--grant']);
    expect(made).toMatchObject({
      code: 0,
      stdout: 'usage.rook-deps.io/protect-resourcequota-used created\n',
      stderr: 'clusterrole.rbac.authorization.k8s.io/rook-deps-grant-resourcequotas created\n',
    });
    expect((await install.kubectl(['delete', 'quota/used', ...ns])).stderr).toContain('is in use by 1 usage');
  });

  test('is protected as soon as it is granted', { timeout: 90_000 }, async () => {
    const ns = await namespaceWith('late', 'secret/generic/used');
    await install.plugin(['protect', 'secret/used', ...ns, '--reason', 'needed', '--wait=false']);
    const reason = async (): Promise<string> =>
      (
        await install.kubectl([
          'get',
          'usage/protect-secret-used',
          ...ns,
          '-o',
          'jsonpath={.status.conditions[0].reason}',
        ])
      ).stdout;
    await vi.waitFor(async () => expect(await reason()).toBe('Forbidden'), 20_000);
    await install.grant('secrets');
    await vi.waitFor(async () => expect(await reason()).toBe('Available'), {
      timeout: 50_000,
      interval: 500,
    });
  });
});

describe('unprotect', () => {
  test('of a namespace leaves alone what protects the things in it', async () => {
    const ns = await namespaceWith('inside', 'configmap/used');
    await install.plugin(['protect', 'cm/used', ...ns, '--reason', 'needed']);
    const told = await install.plugin(['unprotect', 'ns/inside']);
    expect(told).toMatchObject({
      code: 0,
      stdout: '',
      stderr:
        'namespace/inside is not protected itself; 1 usages hold what is in it (see: kubectl rook-deps why namespace/inside)\n',
    });
    expect(await usages('inside')).toBe('usage.rook-deps.io/protect-configmap-used\n');
  });

  test('asks before it lets a refused deletion be made up for, and can keep the object', async () => {
    const ns = await namespaceWith('asked', 'configmap/gone', 'configmap/kept');
    for (const name of ['gone', 'kept']) {
      await install.plugin(['protect', `cm/${name}`, ...ns, '--reason', 'needed', '--replay']);
      await install.kubectl(['delete', `cm/${name}`, ...ns]);
    }
    const asked = await install.plugin(['unprotect', 'cm/gone', ...ns]);
    expect(asked.code).toBe(1);
    expect(asked.stderr).toMatch(
      /Warning: this also deletes configmap\/gone, as admin asked at 20\S+ \(--keep does not\)/,
    );
    expect(asked.stderr).toContain('confirmation required; pass --yes');
    expect(await usages('asked')).toContain('protect-configmap-gone');
    expect(await install.plugin(['unprotect', 'cm/gone', ...ns, '--yes'])).toMatchObject({ code: 0 });
    expect(await install.plugin(['unprotect', 'cm/kept', ...ns, '--keep'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    const left = await install.kubectl([
      'get',
      'cm/gone',
      'cm/kept',
      ...ns,
      '-o',
      'name',
      '--ignore-not-found',
    ]);
    expect(left.stdout).toBe('configmap/kept\n');
  });

  test('says what it waits for when its time is up', async () => {
    const ns = await namespaceWith('waiting', 'configmap/used', 'configmap/using');
    await install.plugin(['protect', 'cm/used', ...ns, '--by', 'cm/using']);
    const held = JSON.stringify({ metadata: { finalizers: ['example.com/held'] } });
    await install.kubectl(['patch', 'cm/using', ...ns, '-p', held]);
    await install.kubectl(['delete', 'cm/using', ...ns, '--wait=false']);
    const late = await install.plugin(['unprotect', 'cm/used', ...ns, '--timeout', '3s']);
    expect(late.code).toBe(124);
    expect(late.stderr).toContain('is not gone after 3s: waiting for ConfigMap "using" to be gone');
  });
});

describe('a dry run', () => {
  test('without a value prints what would be sent, and sends nothing', async () => {
    const ns = await namespaceWith('dry', 'configmap/used');
    const args = ['protect', 'configmap/used', ...ns, '--reason', 'needed', '--dry-run', '-o', 'yaml'];
    const { code, stdout } = await install.plugin(args);
    expect(code).toBe(0);
    expect(stdout).toContain('kind: Usage\n');
    expect(await usages('dry')).toBe('');
    const applied = await install.kubectl(['apply', '-f', '-'], { stdin: stdout });
    expect(applied.stdout).toBe('usage.rook-deps.io/protect-configmap-used created\n');
  });
});

describe('wrong input is told in one line, and nothing is made', () => {
  test.each([
    [['protect', 'configmap/absent', '--reason', 'x'], 'configmaps "absent" not found'],
    [['protect', 'nosuch/x', '--reason', 'x'], `the server doesn't have a resource type "nosuch"`],
    [['protect', 'configmap/used', '--by', 'using'], 'must be TYPE/NAME'],
    [['protect', 'configmap/used', '--by', 'cm/used'], 'cannot use itself'],
    [['protect', 'configmap/used', '--timeout', 'soon'], 'must be a time such as 90s or 5m'],
    [['protect', 'configmap/used', '--dry-run=maybe'], 'Invalid dry-run value (maybe)'],
    [['unprotect'], 'error: '],
  ])('%j', async (args, text) => {
    await namespaceWith('wrong', 'configmap/used');
    const { code, stderr, stdout } = await install.plugin([...args, '-n', 'wrong']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(text);
    expect(await usages('wrong')).toBe('');
  });
});
