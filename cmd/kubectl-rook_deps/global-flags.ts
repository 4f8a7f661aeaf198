import type { ConnectionFlags } from '#pkg/kube';
import type { Args } from './args.ts';
import type { FlagSpecs } from './command.ts';

/** The connection flags of kubectl, all of them, with its own words. */
export const GLOBAL_FLAGS: FlagSpecs = {
  as: {
    type: 'string',
    describe:
      'Username to impersonate for the operation. User could be a regular user or a service account in a namespace.',
  },
  'as-group': {
    type: 'array',
    describe: 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups.',
  },
  'as-uid': { type: 'string', describe: 'UID to impersonate for the operation.' },
  'as-user-extra': {
    type: 'array',
    describe:
      'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key.',
  },
  'cache-dir': {
    type: 'string',
    describe: 'Accepted as in kubectl; nothing is cached.',
    suggests: 'folders',
  },
  'certificate-authority': {
    type: 'string',
    describe: 'Path to a cert file for the certificate authority',
    suggests: 'files',
  },
  'client-certificate': {
    type: 'string',
    describe: 'Path to a client certificate file for TLS',
    suggests: 'files',
  },
  'client-key': { type: 'string', describe: 'Path to a client key file for TLS', suggests: 'files' },
  cluster: { type: 'string', describe: 'The name of the kubeconfig cluster to use', suggests: 'clusters' },
  color: {
    type: 'string',
    choices: ['auto', 'always', 'never'],
    describe: 'Colour the output: auto, always or never',
  },
  ascii: { type: 'boolean', describe: 'Use plain ASCII instead of line-drawing characters' },
  context: { type: 'string', describe: 'The name of the kubeconfig context to use', suggests: 'contexts' },
  'disable-compression': {
    type: 'boolean',
    describe: 'If true, opt-out of response compression for all requests to the server',
  },
  help: { type: 'boolean', alias: 'h', describe: 'Show help' },
  'insecure-skip-tls-verify': {
    type: 'boolean',
    describe:
      "If true, the server's certificate will not be checked for validity. This will make your HTTPS connections insecure",
  },
  kubeconfig: {
    type: 'string',
    describe: 'Path to the kubeconfig file to use for CLI requests.',
    suggests: 'files',
  },
  namespace: {
    type: 'string',
    alias: 'n',
    describe: 'If present, the namespace scope for this CLI request',
    suggests: 'namespaces',
  },
  password: { type: 'string', describe: 'Password for basic authentication to the API server' },
  'proxy-url': { type: 'string', describe: 'If provided, this URL will be used to connect via proxy' },
  'request-timeout': {
    type: 'string',
    describe:
      'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means no limit.',
  },
  server: { type: 'string', alias: 's', describe: 'The address and port of the Kubernetes API server' },
  'tls-server-name': { type: 'string', describe: 'Server name to use for server certificate validation' },
  token: { type: 'string', describe: 'Bearer token for authentication to the API server' },
  user: { type: 'string', describe: 'The name of the kubeconfig user to use', suggests: 'users' },
  username: { type: 'string', describe: 'Username for basic authentication to the API server' },
  v: { type: 'string', describe: 'Number for the log level verbosity: 2 counts requests, 6 shows them' },
};

export function connectionFlags(args: Args): ConnectionFlags {
  return {
    kubeconfig: args.text('kubeconfig'),
    cacheDir: args.text('cache-dir'),
    context: args.text('context'),
    cluster: args.text('cluster'),
    user: args.text('user'),
    namespace: args.text('namespace'),
    server: args.text('server'),
    tlsServerName: args.text('tls-server-name'),
    insecureSkipTlsVerify: args.isSet('insecure-skip-tls-verify'),
    certificateAuthority: args.text('certificate-authority'),
    clientCertificate: args.text('client-certificate'),
    clientKey: args.text('client-key'),
    token: args.text('token'),
    username: args.text('username'),
    password: args.text('password'),
    as: args.text('as'),
    asUid: args.text('as-uid'),
    asGroup: args.texts('as-group'),
    asUserExtra: args.texts('as-user-extra'),
    requestTimeout: args.text('request-timeout'),
    disableCompression: args.isSet('disable-compression'),
    proxyUrl: args.text('proxy-url'),
  };
}

/** The flags that choose cluster and user, to be repeated in commands that we suggest. Secrets are not. */
export function suggestedFlags(args: Args): string {
  const names = ['kubeconfig', 'context', 'cluster', 'user', 'server', 'as', 'as-uid', 'as-group'];
  const parts = names.flatMap((name) => args.texts(name).map((value) => ` --${name}=${shellQuoted(value)}`));
  return parts.join('');
}

export function shellQuoted(text: string): string {
  return /^[\w./:@,=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
