import type { ConnectionFlags } from '#pkg/kube';

/**
 * One situation, put to kubectl and to us. `@` in contents, flags and environment is the folder of the files,
 * `SERVER`, `TOKEN` and `CA` are those of the control plane.
 */
export interface Situation {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: ConnectionFlags;
}

const CLUSTER = '{server: "SERVER", certificate-authority-data: CA}';

/** A kubeconfig whose user is recognised by the name it acts as. */
function config(
  as: string,
  rest: Partial<Record<'cluster' | 'user' | 'namespace' | 'current', string>> = {},
): string {
  return `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: ${rest.cluster ?? CLUSTER}}]
users: [{name: u, user: ${rest.user ?? `{token: TOKEN, as: ${as}}`}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: "${rest.namespace ?? ''}"}}]
current-context: ${rest.current ?? 'x'}
`;
}

const entries = (current: string, user: string, as: string, context: string): string => `
current-context: "${current}"
users: [{name: ${user}, user: {token: TOKEN, as: ${as}}}]
contexts: [{name: ${context}, context: {cluster: c, user: ${user}, namespace: of-${as}}}]
`;
const clusterOnly = `clusters: [{name: c, cluster: ${CLUSTER}}]\n`;

const one = (content: string, flags: ConnectionFlags = {}): Omit<Situation, 'name'> => ({
  files: { 'config.yaml': content },
  flags: { kubeconfig: '@/config.yaml', ...flags },
});
const user = (entry: string, flags?: ConnectionFlags): Omit<Situation, 'name'> =>
  one(config('', { user: entry }), flags);
const cluster = (entry: string, flags?: ConnectionFlags): Omit<Situation, 'name'> =>
  one(config('ann', { cluster: entry }), flags);

const plugin = (output: string, rest = ''): string =>
  `{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: sh, args: [-c, '${output}']${rest}}}`;
export const credential = (status: string): string =>
  `echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":${status}}"`;

const MERGING: readonly Situation[] = [
  { name: 'one file', ...one(config('ann', { namespace: 'blue' })) },
  { name: 'the file in the home folder', files: { '.kube/config': config('ann') } },
  {
    name: 'several files, each with a part',
    files: { 'a.yaml': clusterOnly, 'b.yaml': entries('x', 'u', 'ann', 'x') },
    env: { KUBECONFIG: '@/a.yaml:@/b.yaml' },
  },
  {
    name: 'the first definition of a name wins',
    files: { 'a.yaml': clusterOnly + entries('x', 'u', 'ann', 'x'), 'b.yaml': entries('x', 'u', 'bob', 'x') },
    env: { KUBECONFIG: '@/a.yaml:@/b.yaml' },
  },
  {
    name: 'a first definition wins whole, not field by field',
    files: {
      'a.yaml': `users: [{name: u, user: {as: ann, as-uid: "7"}}]\n${clusterOnly}`,
      'b.yaml': entries('x', 'u', 'bob', 'x'),
    },
    env: { KUBECONFIG: '@/a.yaml:@/b.yaml' },
    flags: { token: 'TOKEN' },
  },
  {
    name: 'the first file that sets the current context wins',
    files: {
      'a.yaml': clusterOnly + entries('', 'u', 'ann', 'x'),
      'b.yaml': entries('second', 'v', 'bob', 'second'),
      'c.yaml': entries('third', 'w', 'eve', 'third'),
    },
    env: { KUBECONFIG: '@/a.yaml:@/b.yaml:@/c.yaml' },
  },
  {
    name: 'missing files and empty names are passed over',
    files: { 'b.yaml': config('ann') },
    env: { KUBECONFIG: '@/nope.yaml::@/b.yaml:@/b.yaml' },
  },
  { name: 'only missing files', env: { KUBECONFIG: '@/nope.yaml' } },
  { name: 'no file at all' },
  { name: 'another default server', env: { KUBERNETES_MASTER: 'http://127.0.0.1:3' } },
  {
    name: 'a flag goes before the variable',
    files: { 'a.yaml': config('ann'), 'b.yaml': config('bob') },
    env: { KUBECONFIG: '@/a.yaml' },
    flags: { kubeconfig: '@/b.yaml' },
  },
  { name: 'a missing file of the flag', flags: { kubeconfig: '@/nope.yaml' } },
  {
    name: 'paths are relative to their own file',
    files: {
      'deep/a.yaml': `clusters: [{name: c, cluster: {server: "SERVER", certificate-authority: ../pki/ca.crt}}]`,
      'b.yaml': entries('x', 'u', 'ann', 'x'),
    },
    env: { KUBECONFIG: '@/b.yaml:@/deep/a.yaml' },
  },
  {
    name: 'a broken file among good ones',
    files: { 'a.yaml': config('ann'), 'b.yaml': 'kind: Pod\napiVersion: v1' },
    env: { KUBECONFIG: '@/a.yaml:@/b.yaml' },
  },
];

const two = `${config('ann', { namespace: 'blue' })}`
  .replace('contexts: [', 'contexts: [{name: other, context: {cluster: d, user: w, namespace: red}}, ')
  .replace('users: [', 'users: [{name: w, user: {token: TOKEN, as: bob, as-groups: [wheel]}}, ')
  .replace('clusters: [', 'clusters: [{name: d, cluster: {server: "https://127.0.0.1:2"}}, ');

const CHOOSING: readonly Situation[] = [
  { name: 'another context', ...one(two, { context: 'other' }) },
  { name: 'another context with the first cluster', ...one(two, { context: 'other', cluster: 'c' }) },
  { name: 'another user', ...one(two, { user: 'w' }) },
  { name: 'another cluster', ...one(two, { cluster: 'd' }) },
  { name: 'another namespace', ...one(two, { namespace: 'green' }) },
  { name: 'another server', ...one(two, { server: 'https://127.0.0.1:3' }) },
  { name: 'a server without scheme', ...one(two, { server: '127.0.0.1:3' }) },
  { name: 'a context that is not there', ...one(two, { context: 'nope' }) },
  { name: 'a cluster that is not there', ...one(two, { cluster: 'nope' }) },
  { name: 'a user that is not there', ...one(two, { user: 'nope' }) },
  { name: 'all three not there', ...one(two, { user: 'a', cluster: 'b', context: 'c' }) },
  { name: 'a current context that is not there', ...one(config('ann', { current: 'nope' })) },
  { name: 'no current context', ...one(config('ann', { current: '""' })) },
  { name: 'an empty file', ...one('') },
  { name: 'no such host', ...one(two, { server: 'https://no-such-host.invalid' }) },
  { name: 'another protocol', ...one(two, { server: 'ftp://127.0.0.1' }) },
];

const USERS: readonly Situation[] = [
  { name: 'a token file', ...user('{tokenFile: token}') },
  { name: 'a token file goes before a token', ...user('{tokenFile: token, token: bad}') },
  { name: 'a token stands in for a missing token file', ...user('{tokenFile: nope, token: TOKEN}') },
  { name: 'a missing token file', ...user('{tokenFile: nope}') },
  { name: 'a bad token', ...user('{token: bad}') },
  { name: 'the flag goes before the token', ...user('{token: bad}', { token: 'TOKEN' }) },
  { name: 'a token and a password', ...user('{token: TOKEN, username: u}') },
  { name: 'a password by flag beside a token', ...user('{token: TOKEN}', { username: 'u', password: 'p' }) },
  { name: 'a certificate without a key', ...user('{token: TOKEN}', { clientCertificate: '@/pki/ca.crt' }) },
  { name: 'files that are not there', ...user('{client-certificate: nope.crt, client-key: nope.key}') },
  { name: 'a certificate that is none', ...user('{client-certificate-data: aGk=, client-key-data: aGk=}') },
  {
    name: 'impersonation in the file',
    ...user('{token: TOKEN, as: ann, as-uid: "7", as-groups: [a, b], as-user-extra: {k: [v, w]}}'),
  },
  {
    name: 'impersonation by flags',
    ...user('{token: TOKEN}', {
      as: 'ann',
      asUid: '7',
      asGroup: ['a', 'b,c'],
      asUserExtra: ['k=v', 'k=w=x', 'example.com/Reason%=ü', 'empty=', 'nothing'],
    }),
  },
  {
    name: 'impersonation by flags over the file',
    ...user('{token: TOKEN, as: ann, as-groups: [a], as-user-extra: {k: [v], l: [m]}}', {
      as: 'bob',
      asGroup: ['b'],
      asUserExtra: ['k=flag'],
    }),
  },
  { name: 'a group without a user', ...user('{token: TOKEN}', { asGroup: ['a'] }) },
  { name: 'an extra without a user', ...user('{token: TOKEN}', { asUserExtra: ['a=b'] }) },
  { name: 'a plugin', ...user(plugin(credential('{\\"token\\":\\"TOKEN\\"}'))) },
  {
    name: 'a plugin beside the kubeconfig',
    ...user(
      '{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./plugin.sh, env: [{name: T, value: TOKEN}]}}',
    ),
  },
  {
    name: 'a plugin that finds the cluster',
    ...user(
      plugin(
        'test -n "$KUBERNETES_EXEC_INFO" && case "$KUBERNETES_EXEC_INFO" in *SERVER*) TELL;; esac'.replace(
          'TELL',
          credential('{\\"token\\":\\"TOKEN\\"}'),
        ),
        ', provideClusterInfo: true',
      ),
    ),
  },
  { name: 'a token beside a plugin', ...user(plugin('exit 1').replace('{exec', '{token: TOKEN, exec')) },
  { name: 'a plugin that fails', ...user(plugin('exit 3')) },
  { name: 'a plugin without status', ...user(plugin(credential('null'))) },
  { name: 'a plugin with an empty status', ...user(plugin(credential('{}'))) },
  { name: 'a plugin that says nothing of its version', ...user(plugin('echo "{}"')) },
  {
    name: 'a plugin of an old version',
    ...user('{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: sh}}'),
  },
  {
    name: 'a plugin without mode',
    ...user('{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh}}'),
  },
  { name: 'a plugin without anything', ...user('{exec: {}}') },
  {
    name: 'a plugin of a strange mode',
    ...user('{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Maybe}}'),
  },
  {
    name: 'a plugin that needs a terminal',
    ...user('{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Always}}'),
  },
  { name: 'a login that is gone', ...user('{auth-provider: {name: openstack}}') },
  { name: 'a login without issuer', ...user('{auth-provider: {name: oidc}}') },
];

const CLUSTERS: readonly Situation[] = [
  { name: 'no authority', ...cluster('{server: "SERVER"}') },
  { name: 'any certificate', ...cluster('{server: "SERVER", insecure-skip-tls-verify: true}') },
  { name: 'any certificate by flag', ...cluster(CLUSTER, { insecureSkipTlsVerify: true }) },
  {
    name: 'any certificate and an authority',
    ...cluster('{server: "SERVER", insecure-skip-tls-verify: true, certificate-authority-data: CA}'),
  },
  {
    name: 'an authority by flag',
    ...cluster('{server: "SERVER", insecure-skip-tls-verify: true}', {
      certificateAuthority: '@/pki/ca.crt',
    }),
  },
  { name: 'an authority that is not there', ...cluster(CLUSTER, { certificateAuthority: '@/nope' }) },
  { name: 'an authority that is none', ...cluster('{server: "SERVER", certificate-authority-data: aGk=}') },
  {
    name: 'two authorities',
    ...cluster('{server: "SERVER", certificate-authority: pki/ca.crt, certificate-authority-data: CA}'),
  },
  { name: 'another server name', ...cluster(CLUSTER, { tlsServerName: 'kubernetes.default.svc' }) },
  { name: 'a wrong server name', ...cluster(CLUSTER, { tlsServerName: 'other.example.com' }) },
  { name: 'a proxy of no known sort', ...cluster('{server: "SERVER", proxy-url: "ftp://x"}') },
  { name: 'an old word for yes', ...cluster('{server: "SERVER", insecure-skip-tls-verify: yes}') },
  { name: 'a request timeout', ...cluster(CLUSTER, { requestTimeout: '1m30s' }) },
  { name: 'a bad request timeout', ...cluster(CLUSTER, { requestTimeout: 'soon' }) },
  { name: 'no compression', ...cluster(CLUSTER, { disableCompression: true }) },
];

const BROKEN: readonly Situation[] = [
  { name: 'text', ...one('just text') },
  { name: 'a list', ...one('[]') },
  { name: 'another kind', ...one('apiVersion: v1\nkind: Pod') },
  { name: 'another version', ...one('apiVersion: v2\nkind: Config') },
  { name: 'a version that is a number', ...one('apiVersion: 1') },
  { name: 'clusters that are no list', ...one('clusters: {}') },
  { name: 'a cluster that is a number', ...one('clusters: [3]') },
  { name: 'a server that is a number', ...one('clusters: [{name: 1, cluster: {server: 3}}]') },
  { name: 'a truth that is text', ...one('clusters: [{cluster: {insecure-skip-tls-verify: "true"}}]') },
  { name: 'data that is not base64', ...one('clusters: [{cluster: {certificate-authority-data: "@@"}}]') },
  { name: 'groups that are no list', ...one('users: [{user: {as-groups: bob}}]') },
  { name: 'a plugin that is a number', ...one('users: [{user: {exec: 5}}]') },
  { name: 'an argument that is a number', ...one('users: [{user: {exec: {args: [1]}}}]') },
  { name: 'a variable that is a number', ...one('users: [{user: {exec: {env: [{name: 1}]}}}]') },
  { name: 'a login setting that is a number', ...one('users: [{user: {auth-provider: {config: {a: 1}}}}]') },
  { name: 'a current context that is a number', ...one('current-context: 5') },
  { name: 'an old word for yes as a name', ...one('current-context: y') },
  { name: 'a key too deep', ...one('apiVersion: v1\nkind: Config\n  bad: [') },
  { name: 'an open brace', ...one('a: {b: c\nd: e\n') },
  { name: 'an open bracket', ...one('a: [1\n') },
  { name: 'a line without colon', ...one('a: b\nc\n') },
  { name: 'a tab', ...one('a:\n\t- b\n') },
  { name: 'a stray indent', ...one('a: b\n c: d\n') },
  { name: 'an open quote', ...one('a: "b\n') },
  { name: 'a folder', files: { 'folder/x': '' }, flags: { kubeconfig: '@/folder' } },
];

/** Situations in which kubectl is asked who it is. */
export const SITUATIONS: readonly Situation[] = [...MERGING, ...CHOOSING, ...USERS, ...CLUSTERS, ...BROKEN];

/** Situations in which kubectl is asked for its namespace; the name says whose it is. */
export const NAMESPACES: readonly Situation[] = [
  { name: 'of the context', ...one(config('', { namespace: 'blue', user: '{token: TOKEN}' })) },
  {
    name: 'of the flag',
    ...one(config('', { namespace: 'blue', user: '{token: TOKEN}' }), { namespace: 'red' }),
  },
  { name: 'of nobody', ...one(config('', { user: '{token: TOKEN}' })) },
  {
    name: 'of another context',
    ...one(two.replaceAll(', as: bob, as-groups: [wheel]', ''), { context: 'other', cluster: 'c' }),
  },
];
