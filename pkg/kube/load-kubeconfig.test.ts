import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConnectionFlags } from './connection-flags.ts';
import type { Connection } from './connection.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';

let home = '';

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'kube-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const write = (name: string, content: string): string => {
  const file = path.join(home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
};

const load = (flags: ConnectionFlags = {}, env: Record<string, string> = {}): Connection =>
  loadKubeconfig(flags, env, home, path.join(home, 'sa'));

describe('in a pod', () => {
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
  const CA = '-----BEGIN CERTIFICATE-----\n';

  beforeEach(() => {
    write('sa/token', 'pod-token');
    write('sa/ca.crt', CA);
    write('sa/namespace', 'rook-ceph\n');
  });

  test('the service account is used where there is no kubeconfig', () => {
    expect(load({}, env)).toMatchObject({
      server: 'https://10.0.0.1:443',
      namespace: 'rook-ceph',
      tls: { ca: CA, insecure: false },
      user: { tokenFile: path.join(home, 'sa/token') },
    });
  });

  test('an IPv6 server is put in brackets', () => {
    expect(load({}, { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' }).server).toBe('https://[fd00::1]:443');
  });

  test('a namespace of the pod or of a flag goes before that of the service account', () => {
    expect(load({}, { ...env, POD_NAMESPACE: 'mine' }).namespace).toBe('mine');
    expect(load({ namespace: 'flag' }, { ...env, POD_NAMESPACE: 'mine' }).namespace).toBe('flag');
  });

  test('flags for token, impersonation and timeout count', () => {
    expect(load({ token: 't', as: 'ann', requestTimeout: '5' }, env)).toMatchObject({
      user: { token: 't' },
      impersonation: { user: 'ann' },
      requestTimeoutMs: 5000,
    });
  });

  test('a server of a flag or a kubeconfig goes before', () => {
    expect(load({ server: 'http://other:1' }, env).server).toBe('http://other:1');
    const cluster = 'clusters: [{name: c, cluster: {server: "https://c:1"}}]';
    write('.kube/config', `${cluster}\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x`);
    expect(load({}, env)).toMatchObject({ server: 'https://c:1', namespace: 'rook-ceph' });
  });

  test('without a token it is like outside', () => {
    rmSync(path.join(home, 'sa/token'));
    expect(load({}, env)).toMatchObject({ server: 'http://localhost:8080', namespace: 'default' });
  });
});

describe('outside', () => {
  const secrets = 'users: [{name: u, user: {token: secret, username: "", as: ann}}]\n';
  const context = 'contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n';

  test('a plain-text server is told no secret', () => {
    write('.kube/config', `${secrets}${context}clusters: [{name: c, cluster: {server: "http://c:1"}}]`);
    const connection = load();
    expect(connection.user).toEqual({ name: 'u' });
    expect(connection.impersonation?.user).toBe('ann');
  });

  test('only the first document of a file counts', () => {
    write(
      '.kube/config',
      `${secrets}${context}clusters: [{name: c, cluster: {server: "https://c:1"}}]\n---\na: [`,
    );
    expect(load()).toMatchObject({ server: 'https://c:1', user: { token: 'secret' } });
  });

  test('anchors and merge keys are resolved', () => {
    write(
      '.kube/config',
      `${secrets}${context}x: &base {server: "https://c:1", disable-compression: true}\nclusters: [{name: c, cluster: {<<: *base}}]`,
    );
    expect(load()).toMatchObject({ server: 'https://c:1', disableCompression: true });
  });

  test.for([
    { server: 'https://c:1/', is: 'https://c:1' },
    { server: 'https://c/k8s/clusters/c-1/', is: 'https://c/k8s/clusters/c-1' },
    { server: 'https://[fd00::1]:6443', is: 'https://[fd00::1]:6443' },
    { server: 'c:1', is: 'http://c:1' },
  ])('the server $server is $is', ({ server, is }) => {
    expect(load({ server }).server).toBe(is);
  });

  test.for([
    { server: 'c:1/path', says: 'error: host must be a URL or a host:port pair: "c:1/path"' },
    { server: 'https://c:port', says: 'error: host must be a URL or a host:port pair: "https://c:port"' },
    { server: 'h ost', says: 'Unable to connect to the server: invalid character " " in host name' },
  ])('the server $server is refused', ({ server, says }) => {
    expect(() => load({ server })).toThrow(says);
  });

  test.for([{ files: ['a: ['] }, { files: ['kind: Pod\n', 'a: "'] }])(
    'broken files are named, on one line: $files',
    ({ files }) => {
      const names = files.map((content, index) => write(`${index}.yaml`, content));
      const attempt = (): unknown => load({}, { KUBECONFIG: names.join(path.delimiter) });
      for (const name of names) expect(attempt).toThrow(`error loading config file "${name}": `);
      expect(attempt).toThrow(/^error: [^\n]*$/);
    },
  );

  test('a broken file does not show its content', () => {
    write('.kube/config', 'users:\n- name: u\n  user: {token: secret-token\n');
    expect(() => load()).toThrow(/^(?!.*secret-token)error: [^\n]*$/);
  });

  test('a removed login names its successor', () => {
    const user = 'users: [{name: u, user: {auth-provider: {name: gcp}}}]\n';
    write('.kube/config', `${user}${context}clusters: [{name: c, cluster: {server: "https://c:1"}}]`);
    expect(() => load()).toThrow(
      'error: The gcp auth plugin has been removed. Please use the "gke-gcloud-auth-plugin"',
    );
  });

  test('a line break does not get into a header', () => {
    expect(() => load({ as: 'a\r\nX-Y: z' })).toThrow('invalid header field value');
  });
});
