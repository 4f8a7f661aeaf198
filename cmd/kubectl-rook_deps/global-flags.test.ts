import { describe, expect, test } from 'vitest';
import { connectionFlags, GLOBAL_FLAGS, shellQuoted, suggestedFlags } from './global-flags.ts';
import { parseArgs } from './parse.ts';

const parse = (...words: string[]): ReturnType<typeof parseArgs> => parseArgs(words, GLOBAL_FLAGS, 'x');

test('every connection flag arrives', () => {
  const line =
    '--kubeconfig=k --cache-dir=cd --context=c --cluster=cl --user=u -n ns -s srv --tls-server-name=t ' +
    '--insecure-skip-tls-verify --certificate-authority=ca --client-certificate=cc --client-key=ck ' +
    '--token=007 --username=un --password=-p --as=me --as-uid=1 --as-group=g1 --as-group g2 ' +
    '--as-user-extra=a=b --request-timeout=5s --disable-compression --proxy-url=p';
  const flags = connectionFlags(parse(...line.split(' ')));
  expect(flags).toEqual({
    kubeconfig: 'k',
    cacheDir: 'cd',
    context: 'c',
    cluster: 'cl',
    user: 'u',
    namespace: 'ns',
    server: 'srv',
    tlsServerName: 't',
    insecureSkipTlsVerify: true,
    certificateAuthority: 'ca',
    clientCertificate: 'cc',
    clientKey: 'ck',
    token: '007',
    username: 'un',
    password: '-p',
    as: 'me',
    asUid: '1',
    asGroup: ['g1', 'g2'],
    asUserExtra: ['a=b'],
    requestTimeout: '5s',
    disableCompression: true,
    proxyUrl: 'p',
  });
});

describe('suggested commands', () => {
  test('repeat what chooses cluster and user, and no secret', () => {
    const args = parse(
      '--context=c',
      '--token=t',
      '--password=p',
      '--as-group=a',
      '--as-group=b c',
      '-n',
      'x',
    );
    expect(suggestedFlags(args)).toBe(` --context=c --as-group=a --as-group='b c'`);
  });

  test('are quoted for a shell', () => {
    expect(shellQuoted('docs/a-b_c.yaml')).toBe('docs/a-b_c.yaml');
    expect(shellQuoted(`a'; reboot`)).toBe(`'a'\\''; reboot'`);
    expect(shellQuoted('')).toBe(`''`);
  });
});
