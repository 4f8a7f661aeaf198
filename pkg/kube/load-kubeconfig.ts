import { UserError } from '#pkg/object';
import type { ConnectionFlags } from './connection-flags.ts';
import type { Connection, Impersonation } from './connection.ts';
import { podIdentity, SERVICE_ACCOUNT_DIR, type PodIdentity } from './in-cluster.ts';
import { checkSelection } from './kubeconfig-check.ts';
import { mergedKubeconfig, type Environment } from './kubeconfig-merge.ts';
import { select, type Selection, type UserChoice } from './kubeconfig-selection.ts';
import { requestTimeoutMs } from './request-timeout.ts';
import { serverAddress } from './server-address.ts';
import { serverTls } from './server-tls.ts';
import { userCredentials } from './user-credentials.ts';

/** Finds the server, user and namespace that kubectl would use with the same flags, files and environment. */
export function loadKubeconfig(
  flags: ConnectionFlags,
  env: Environment,
  homeDir: string,
  serviceAccountDir: string = SERVICE_ACCOUNT_DIR,
): Connection {
  const defaultServer = env['KUBERNETES_MASTER'] || 'http://localhost:8080';
  const selection = select(mergedKubeconfig(flags.kubeconfig, env, homeDir), flags, defaultServer);
  checkSelection(selection);
  const pod = podIdentity(env, serviceAccountDir);
  const inCluster = pod && selection.cluster.server === defaultServer;
  return {
    ...(inCluster ? podConnection(pod, flags) : configuredConnection(selection)),
    namespace: flags.namespace || selection.namespace || pod?.namespace || 'default',
    impersonation: impersonation(selection.user),
    proxyUrl: selection.cluster.proxyUrl,
    requestTimeoutMs: requestTimeoutMs(flags.requestTimeout || '0'),
    disableCompression: selection.cluster.disableCompression,
    env,
  };
}

type Endpoint = Pick<Connection, 'server' | 'tls' | 'user'>;

function configuredConnection({ cluster, user }: Selection): Endpoint {
  const server = serverAddress(cluster.server);
  if (server.startsWith('http:')) {
    // Secrets do not travel in plain text: kubectl leaves out the user as well.
    return {
      server,
      tls: { ca: undefined, insecure: false, serverName: undefined },
      user: { name: user.name },
    };
  }
  const tls = serverTls(cluster);
  return { server, tls, user: userCredentials(user, { ...cluster, server, tls }) };
}

/** Inside a pod kubectl heeds no other flags about server and user than these. */
function podConnection(pod: PodIdentity, flags: ConnectionFlags): Endpoint {
  return {
    server: pod.server,
    tls: serverTls({
      name: '',
      caFile: flags.certificateAuthority || pod.caFile,
      caData: undefined,
      insecure: false,
      tlsServerName: undefined,
    }),
    user: flags.token ? { name: '', token: flags.token } : { name: '', tokenFile: pod.tokenFile },
  };
}

function impersonation(user: UserChoice): Impersonation | undefined {
  if (!user.as) return undefined;
  const headerBreak = /[\r\n\0]/;
  const { as, asUid, asGroups, asExtra } = user;
  if (
    [as, asUid ?? '', ...asGroups, ...Object.values(asExtra).flat()].some((text) => headerBreak.test(text))
  ) {
    throw new UserError(
      'Unable to connect to the server: net/http: invalid header field value for "Impersonate-User"',
    );
  }
  return { user: as, uid: asUid, groups: asGroups, extra: asExtra };
}
