import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { oidcAuthorization } from './oidc-login.ts';
import { saveTokens } from './oidc-tokens.ts';

let folder = '';
let file = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'oidc-'));
  file = path.join(folder, 'config');
});
afterEach(() => rm(folder, { recursive: true }));

const KUBECONFIG = `# mine
users:
- name: other
  user: {token: t}
- name: ann # of Aachen
  user:
    auth-provider:
      name: oidc
      config:
        client-id: kube
        id-token: old
        refresh-token: once
`;

test('a token that has not run out is used, and nothing is written', async () => {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = [encode({ alg: 'none' }), encode({ exp: 4_000_000_000 }), 'signature'].join('.');
  const config = { 'client-id': 'kube', 'idp-issuer-url': 'https://idp.invalid', 'id-token': token };
  const provider = { name: 'oidc', config, origin: path.join(folder, 'not-there') };
  await expect(oidcAuthorization('ann', provider)).resolves.toBe(`Bearer ${token}`);
});

test('renewed tokens go to the user they belong to, and all else stays', async () => {
  await writeFile(file, KUBECONFIG);
  await saveTokens(file, 'ann', { 'id-token': 'new', 'refresh-token': 'next' });
  expect(await readFile(file, 'utf8')).toBe(
    KUBECONFIG.replace('id-token: old', 'id-token: new').replace(
      'refresh-token: once',
      'refresh-token: next',
    ),
  );
});

test('a user who is gone is not added', async () => {
  await writeFile(file, KUBECONFIG);
  await saveTokens(file, 'eve', { 'id-token': 'new' });
  expect(await readFile(file, 'utf8')).toBe(KUBECONFIG);
});
