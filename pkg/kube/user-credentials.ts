import { readFileSync } from 'node:fs';
import { listAt, recordAt, textAt, isTrueAt, UserError } from '#pkg/object';
import type { AuthProvider, ExecPlugin, ServerTls, UserCredentials } from './connection.ts';
import { fileFailure } from './file-failure.ts';
import { interactiveMode } from './kubeconfig-check.ts';
import type { ClusterChoice, UserChoice } from './kubeconfig-selection.ts';
import { pemOf } from './server-tls.ts';

/** The server as a credential plugin is told of it. */
export interface PluginCluster extends ClusterChoice {
  readonly tls: ServerTls;
}

/** Reads the files the user's entry names, and checks what kubectl checks before the first request. */
export function userCredentials(user: UserChoice, cluster: PluginCluster): UserCredentials {
  const { name, token, tokenFile, username, password } = user;
  if (!token && tokenFile) checkReadable(tokenFile);
  return {
    name,
    token,
    tokenFile,
    username,
    password,
    ...certificate(user),
    exec: user.exec && execPlugin(user.exec, cluster),
    authProvider: user.authProvider && authProvider(user.authProvider, user.origin),
  };
}

function checkReadable(file: string): void {
  try {
    readFileSync(file);
  } catch (error) {
    throw new UserError(`error: ${fileFailure(error, file)}`, { cause: error });
  }
}

function certificate(user: UserChoice): Pick<UserCredentials, 'certificate' | 'key'> {
  const pem = pemOf(user.certificateFile, user.certificateData);
  if (pem === undefined) return {};
  const key = pemOf(user.keyFile, user.keyData);
  for (const [what, content] of [
    ['certificate', pem],
    ['key', key ?? ''],
  ] as const) {
    if (!content.includes('-----BEGIN ')) {
      throw new UserError(`error: tls: failed to find any PEM data in ${what} input`);
    }
  }
  return { certificate: pem, key };
}

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

function execPlugin(exec: Readonly<Record<string, unknown>>, cluster: PluginCluster): ExecPlugin {
  const apiVersion = textAt(exec, 'apiVersion') ?? '';
  if (!EXEC_VERSIONS.includes(apiVersion)) {
    throw new UserError(`error: exec plugin: invalid apiVersion "${apiVersion}"`);
  }
  const mode = interactiveMode(exec);
  return {
    command: textAt(exec, 'command') ?? '',
    args: listAt(exec, 'args').map(String),
    env: Object.fromEntries(
      listAt(exec, 'env').map((variable) => [
        textAt(variable, 'name') ?? '',
        textAt(variable, 'value') ?? '',
      ]),
    ),
    apiVersion,
    interactiveMode: mode === 'Never' || mode === 'Always' ? mode : 'IfAvailable',
    installHint: textAt(exec, 'installHint'),
    cluster: isTrueAt(exec, 'provideClusterInfo') ? clusterInfo(cluster) : undefined,
  };
}

function clusterInfo(cluster: PluginCluster): Readonly<Record<string, unknown>> {
  const { server, tls, proxyUrl, disableCompression, execExtension } = cluster;
  return {
    server,
    ...(tls.serverName && { 'tls-server-name': tls.serverName }),
    ...(tls.insecure && { 'insecure-skip-tls-verify': true }),
    ...(tls.ca && { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
    ...(disableCompression && { 'disable-compression': true }),
    config: execExtension ?? null,
  };
}

const REMOVED: Readonly<Record<string, string>> = {
  gcp: 'Please use the "gke-gcloud-auth-plugin" kubectl/client-go credential plugin instead.',
  azure: 'Please use the https://github.com/Azure/kubelogin kubectl/client-go credential plugin instead.',
};

function authProvider(provider: Readonly<Record<string, unknown>>, origin: string): AuthProvider {
  const name = textAt(provider, 'name') ?? '';
  const instead = REMOVED[name];
  if (instead) throw new UserError(`error: The ${name} auth plugin has been removed. ${instead}`);
  if (name !== 'oidc') throw new UserError(`error: no Auth Provider found for name "${name}"`);
  const config = recordAt(provider, 'config');
  for (const field of ['idp-issuer-url', 'client-id']) {
    if (!textAt(config, field)) throw new UserError(`error: Must provide ${field}`);
  }
  return {
    name,
    config: Object.fromEntries(Object.keys(config).map((key) => [key, textAt(config, key) ?? ''])),
    origin,
  };
}
