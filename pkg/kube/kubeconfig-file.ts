import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord, listAt, recordAt, textAt, UserError } from '#pkg/object';
import { errorCode, fileFailure } from './file-failure.ts';
import { anything, bool, bytes, checkShape, jsonKind, listOf, mapOf, struct, text } from './go-shape.ts';
import { parseYaml } from './kubeconfig-yaml.ts';

/** The entries of a kubeconfig by name, as they stand there, but with file names made absolute. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
}

export interface Entry {
  /** The file it stands in. */
  readonly origin: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const execShape = struct('ExecConfig', {
  command: text,
  args: listOf(text),
  env: listOf(struct('ExecEnvVar', { name: text, value: text })),
  apiVersion: text,
  installHint: text,
  provideClusterInfo: bool,
  interactiveMode: text,
});

const userShape = struct('AuthInfo', {
  'client-certificate': text,
  'client-certificate-data': bytes,
  'client-key': text,
  'client-key-data': bytes,
  token: text,
  tokenFile: text,
  as: text,
  'as-uid': text,
  'as-groups': listOf(text),
  'as-user-extra': mapOf(listOf(text)),
  username: text,
  password: text,
  'auth-provider': struct('AuthProviderConfig', { name: text, config: mapOf(text) }),
  exec: execShape,
});

const extensions = listOf(struct('NamedExtension', { name: text, extension: anything }));

const clusterShape = struct('Cluster', {
  server: text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': bool,
  'certificate-authority': text,
  'certificate-authority-data': bytes,
  'proxy-url': text,
  'disable-compression': bool,
  extensions,
});

const contextShape = struct('Context', { cluster: text, user: text, namespace: text });

const configShape = struct('Config', {
  'current-context': text,
  clusters: listOf(struct('NamedCluster', { name: text, cluster: clusterShape })),
  users: listOf(struct('NamedAuthInfo', { name: text, user: userShape })),
  contexts: listOf(struct('NamedContext', { name: text, context: contextShape })),
});

/** Undefined when there is no such file; any other trouble is thrown in kubectl's words, without `error: `. */
export function readKubeconfigFile(file: string): Kubeconfig | undefined {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new UserError(`error loading config file "${file}": ${fileFailure(error, file)}`, { cause: error });
  }
  try {
    return parseKubeconfig(content, file);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`error loading config file "${file}": ${error.message}`, { cause: error });
  }
}

function parseKubeconfig(content: string, file: string): Kubeconfig {
  const value = parseYaml(content) ?? {};
  checkTypeMeta(value);
  checkShape(value, configShape, { struct: '', path: [] });
  return {
    currentContext: textAt(value, 'current-context'),
    contexts: entries(value, 'contexts', 'context', 'Context', file, []),
    clusters: entries(value, 'clusters', 'cluster', 'Cluster', file, ['certificate-authority']),
    users: entries(value, 'users', 'user', 'AuthInfo', file, [
      'client-certificate',
      'client-key',
      'tokenFile',
    ]),
  };
}

function checkTypeMeta(value: unknown): asserts value is Record<string, unknown> {
  const problem = (detail: string): UserError =>
    new UserError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${detail}`);
  if (!isRecord(value)) {
    const target =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    throw problem(`${jsonKind(value)} into Go value of type ${target}`);
  }
  for (const key of ['apiVersion', 'kind']) {
    const found = value[key];
    if (found !== undefined && found !== null && typeof found !== 'string') {
      throw problem(`${jsonKind(found)} into Go struct field .${key} of type string`);
    }
  }
  const kind = textAt(value, 'kind') ?? 'Config';
  const version = textAt(value, 'apiVersion') ?? 'v1';
  if (kind !== 'Config' || version !== 'v1') {
    throw new UserError(
      `no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
}

function entries(
  config: unknown,
  listName: string,
  entryName: string,
  goName: string,
  file: string,
  pathFields: readonly string[],
): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  for (const item of listAt(config, listName)) {
    const name = textAt(item, 'name') ?? '';
    if (found.has(name)) {
      throw new UserError(
        `error converting *[]Named${goName} into *map[string]*api.${goName}: duplicate name "${name}" in list`,
      );
    }
    found.set(name, { origin: file, fields: absolutePaths(recordAt(item, entryName), file, pathFields) });
  }
  return found;
}

function absolutePaths(
  fields: Readonly<Record<string, unknown>>,
  file: string,
  pathFields: readonly string[],
): Readonly<Record<string, unknown>> {
  const directory = path.dirname(path.resolve(file));
  const result: Record<string, unknown> = { ...fields };
  for (const field of pathFields) {
    const value = textAt(fields, field);
    if (value !== undefined) result[field] = path.resolve(directory, value);
  }
  // A bare command is looked up on PATH; one with a slash is a file beside the kubeconfig.
  const command = textAt(fields, 'exec', 'command');
  if (command?.includes(path.sep)) {
    result['exec'] = { ...recordAt(fields, 'exec'), command: path.resolve(directory, command) };
  }
  return result;
}
