import { listAt, recordAt, textAt, isTrueAt, UserError } from '#pkg/object';
import type { ConnectionFlags } from './connection-flags.ts';
import type { Entry, Kubeconfig } from './kubeconfig-file.ts';

/** The cluster in force, after flags. File contents have not been read. */
export interface ClusterChoice {
  readonly name: string;
  readonly server: string;
  readonly tlsServerName: string | undefined;
  readonly insecure: boolean;
  readonly caFile: string | undefined;
  readonly caData: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly disableCompression: boolean;
  /** What the cluster entry keeps for credential plugins. */
  readonly execExtension: unknown;
}

/** The user in force, after flags. */
export interface UserChoice {
  readonly name: string;
  readonly origin: string;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly certificateFile: string | undefined;
  readonly certificateData: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyData: string | undefined;
  readonly as: string | undefined;
  readonly asUid: string | undefined;
  readonly asGroups: readonly string[];
  readonly asExtra: Readonly<Record<string, readonly string[]>>;
  readonly exec: Readonly<Record<string, unknown>> | undefined;
  readonly authProvider: Readonly<Record<string, unknown>> | undefined;
}

export interface Selection {
  /** Set when the kubeconfig names a current context that it does not hold. */
  readonly missingContext: string | undefined;
  /** Of the context, not of the flag. */
  readonly namespace: string | undefined;
  readonly cluster: ClusterChoice;
  readonly user: UserChoice;
}

const NOTHING: Entry = { origin: '', fields: {} };
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** Which entries of the kubeconfig count, and what the flags change in them. */
export function select(config: Kubeconfig, flags: ConnectionFlags, defaultServer: string): Selection {
  const contextName = flags.context || config.currentContext;
  const context = config.contexts.get(contextName ?? '');
  // kubectl looks at the user first: with several wrong names it complains about that one.
  const userName = flags.user || (context && textAt(context.fields, 'user')) || '';
  const user = required(config.users, userName, flags.user, 'auth info');
  if (flags.context && !context) throw new UserError(`error: context "${flags.context}" does not exist`);
  const clusterName = flags.cluster || (context && textAt(context.fields, 'cluster')) || '';
  const cluster = required(config.clusters, clusterName, flags.cluster, 'cluster');
  return {
    missingContext: contextName && !context ? contextName : undefined,
    namespace: context && textAt(context.fields, 'namespace'),
    cluster: clusterChoice(clusterName, cluster, flags, defaultServer),
    user: userChoice(userName, user, flags),
  };
}

/** A name from a flag must exist; a dangling name in the kubeconfig means an empty entry. */
function required(
  entries: ReadonlyMap<string, Entry>,
  name: string,
  flag: string | undefined,
  what: string,
): Entry {
  const entry = entries.get(name);
  if (!entry && flag) throw new UserError(`error: ${what} "${flag}" does not exist`);
  return entry ?? NOTHING;
}

function clusterChoice(
  name: string,
  { fields }: Entry,
  flags: ConnectionFlags,
  defaultServer: string,
): ClusterChoice {
  const extension = listAt(fields, 'extensions').find((item) => textAt(item, 'name') === EXEC_EXTENSION);
  return {
    name,
    server: flags.server || textAt(fields, 'server') || defaultServer,
    // Another server has another name: the kubeconfig's would be wrong for it.
    tlsServerName: flags.tlsServerName || (flags.server ? undefined : textAt(fields, 'tls-server-name')),
    ...trust(fields, flags),
    proxyUrl: flags.proxyUrl || textAt(fields, 'proxy-url'),
    disableCompression: flags.disableCompression || isTrueAt(fields, 'disable-compression'),
    execExtension: recordAt(extension)['extension'],
  };
}

/** A flag about trust replaces all the kubeconfig says about it. */
function trust(
  fields: Readonly<Record<string, unknown>>,
  flags: ConnectionFlags,
): Pick<ClusterChoice, 'insecure' | 'caFile' | 'caData'> {
  if (flags.insecureSkipTlsVerify || flags.certificateAuthority) {
    return {
      insecure: flags.insecureSkipTlsVerify === true,
      caFile: flags.certificateAuthority || undefined,
      caData: undefined,
    };
  }
  return {
    insecure: isTrueAt(fields, 'insecure-skip-tls-verify'),
    caFile: textAt(fields, 'certificate-authority'),
    caData: textAt(fields, 'certificate-authority-data'),
  };
}

function userChoice(name: string, { fields, origin }: Entry, flags: ConnectionFlags): UserChoice {
  return {
    name,
    origin,
    token: flags.token || textAt(fields, 'token'),
    tokenFile: textAt(fields, 'tokenFile'),
    username: flags.username || textAt(fields, 'username'),
    password: flags.password || textAt(fields, 'password'),
    certificateFile: flags.clientCertificate || textAt(fields, 'client-certificate'),
    certificateData: flags.clientCertificate ? undefined : textAt(fields, 'client-certificate-data'),
    keyFile: flags.clientKey || textAt(fields, 'client-key'),
    keyData: flags.clientKey ? undefined : textAt(fields, 'client-key-data'),
    as: flags.as || textAt(fields, 'as'),
    asUid: flags.asUid || textAt(fields, 'as-uid'),
    asGroups: flags.asGroup && flags.asGroup.length > 0 ? flags.asGroup : textsAt(fields, 'as-groups'),
    asExtra: { ...configuredExtra(fields), ...extraOfFlags(flags.asUserExtra ?? []) },
    exec: fields['exec'] ? recordAt(fields, 'exec') : undefined,
    authProvider: fields['auth-provider'] ? recordAt(fields, 'auth-provider') : undefined,
  };
}

function configuredExtra(fields: Readonly<Record<string, unknown>>): Record<string, readonly string[]> {
  const extra = recordAt(fields, 'as-user-extra');
  return Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)]));
}

function extraOfFlags(pairs: readonly string[]): Record<string, readonly string[]> {
  const extra: Record<string, string[]> = {};
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    // kubectl passes over a pair without `=`.
    if (equals >= 0) (extra[pair.slice(0, equals)] ??= []).push(pair.slice(equals + 1));
  }
  return extra;
}

function textsAt(value: unknown, ...path: readonly string[]): readonly string[] {
  return listAt(value, ...path).filter((item) => typeof item === 'string');
}
