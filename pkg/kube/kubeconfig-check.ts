import { closeSync, openSync } from 'node:fs';
import { listAt, textAt, UserError } from '#pkg/object';
import { fileFailure } from './file-failure.ts';
import type { ClusterChoice, Selection, UserChoice } from './kubeconfig-selection.ts';

/** Throws what kubectl says about settings that contradict each other or name unreadable files. */
export function checkSelection({ missingContext, cluster, user }: Selection): void {
  const problems = [...userProblems(user), ...clusterProblems(cluster)];
  if (missingContext !== undefined) {
    const missing = `context was not found for specified context: ${missingContext}`;
    throw new UserError(`Error in configuration: ${[missing, ...problems].join('; ')}`);
  }
  const [only, ...others] = problems;
  if (only === undefined) return;
  throw new UserError(
    others.length === 0 ? `error: ${only}` : `Error in configuration: ${problems.join('; ')}`,
  );
}

function* clusterProblems(cluster: ClusterChoice): Iterable<string> {
  const { name, proxyUrl, caFile, caData } = cluster;
  if (proxyUrl) {
    const problem = proxyProblem(proxyUrl);
    if (problem) yield `invalid 'proxy-url' "${proxyUrl}" for cluster "${name}": ${problem}`;
  }
  if (caFile && caData) {
    yield `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`;
  }
  yield* unreadable(caFile, 'certificate-authority', name);
}

function proxyProblem(proxyUrl: string): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(proxyUrl)?.[1]?.toLowerCase() ?? '';
  if (!['http', 'https', 'socks5'].includes(scheme)) {
    return `unsupported scheme "${scheme}", must be http, https, or socks5`;
  }
  return URL.canParse(proxyUrl) ? undefined : `could not parse: ${proxyUrl}`;
}

function* userProblems(user: UserChoice): Iterable<string> {
  yield* certificateProblems(user);
  if (user.exec) yield* execProblems(user, user.exec);
  if (user.token && (user.username || user.password)) {
    yield `more than one authentication method found for ${user.name}; found [token basicAuth], only one is allowed`;
  }
  if (!user.as && (user.asUid || user.asGroups.length > 0 || Object.keys(user.asExtra).length > 0)) {
    yield `requesting uid, groups or user-extra for ${user.name} without impersonating a user`;
  }
}

function* certificateProblems(user: UserChoice): Iterable<string> {
  const { name, certificateFile, certificateData, keyFile, keyData } = user;
  if (!certificateFile && !certificateData) return;
  if (certificateFile && certificateData) {
    yield `client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`;
  }
  if (keyFile && keyData) {
    yield `client-key-data and client-key are both specified for ${name}; client-key-data will override`;
  }
  if (!keyFile && !keyData) {
    yield `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`;
  }
  yield* unreadable(certificateFile, 'client-cert', name);
  yield* unreadable(keyFile, 'client-key', name);
}

function* execProblems(user: UserChoice, exec: Readonly<Record<string, unknown>>): Iterable<string> {
  const { name } = user;
  const missing = (what: string): string =>
    `${what} must be specified for ${name} to use exec authentication plugin`;
  if (user.authProvider) {
    yield `authProvider cannot be provided in combination with an exec plugin for ${name}`;
  }
  if (!textAt(exec, 'command')) yield missing('command');
  if (!textAt(exec, 'apiVersion')) yield missing('apiVersion');
  if (listAt(exec, 'env').some((variable) => !textAt(variable, 'name'))) yield missing('env variable name');
  const mode = interactiveMode(exec);
  if (!mode) yield missing('interactiveMode');
  else if (!['Never', 'IfAvailable', 'Always'].includes(mode))
    yield `invalid interactiveMode for ${name}: "${mode}"`;
}

/** Optional in the older versions of the plugin protocol. */
export function interactiveMode(exec: Readonly<Record<string, unknown>>): string | undefined {
  const optional = /^client\.authentication\.k8s\.io\/v1(alpha|beta)1$/.test(
    textAt(exec, 'apiVersion') ?? '',
  );
  return textAt(exec, 'interactiveMode') ?? (optional ? 'IfAvailable' : undefined);
}

function* unreadable(file: string | undefined, what: string, owner: string): Iterable<string> {
  if (!file) return;
  try {
    closeSync(openSync(file, 'r'));
  } catch (error) {
    yield `unable to read ${what} ${file} for ${owner} due to ${fileFailure(error, file)}`;
  }
}
