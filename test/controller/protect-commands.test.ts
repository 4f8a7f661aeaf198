import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { localInstall, type LocalInstall, type Replica } from './local-install.ts';

let install: LocalInstall;
let replica: Replica;

beforeAll(async () => {
  install = await localInstall({ kinds: ['configmaps', 'deployments.apps'] });
  replica = await install.start();
  await install.route(replica);
}, 120_000);

afterAll(async () => {
  await install?.end();
});

test('protect refuses a deletion, and unprotect lets it pass', async () => {
  await install.kubectl(['create', 'ns', 'e3']);
  await install.kubectl(['create', 'configmap', 'used', '-n', 'e3']);
  const made = await install.plugin(['protect', 'configmap/used', '-n', 'e3', '--reason', 'needed']);
  expect(made).toMatchObject({ code: 0, stdout: 'usage.rook-deps.io/protect-configmap-used created\n' });
  const refused = await install.kubectl(['delete', 'configmap/used', '-n', 'e3']);
  expect(refused.stderr).toContain(
    'Error from server (Conflict): admission webhook "in-use.rook-deps.io" denied the request',
  );
  expect(refused.stderr).toContain('with reason: "needed"');
  const gone = await install.plugin(['unprotect', 'configmap/used', '-n', 'e3']);
  expect(gone.stdout).toBe('usage.rook-deps.io/protect-configmap-used deleted\n');
  await vi.waitFor(async () => {
    const { stdout } = await install.kubectl(['get', 'usages', '-n', 'e3', '-o', 'name']);
    expect(stdout).toBe('');
  }, 10_000);
  const deleted = await install.kubectl(['delete', 'configmap/used', '-n', 'e3']);
  expect(deleted.code).toBe(0);
});
