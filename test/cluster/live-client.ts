import { systemClock } from '#pkg/clock';
import {
  connect,
  kubeWatcher,
  kubeWriter,
  refreshedTypes,
  type Connection,
  type Transport,
  type Watcher,
} from '#pkg/kube';
import type { Writer } from '#pkg/object';
import type { Access } from '../../scripts/controlplane/index.ts';

/** The program's own way to an API server. */
export interface LiveClient {
  readonly transport: Transport;
  readonly writer: Writer;
  readonly watcher: Watcher;
}

/** As the administrator, or as a user that it impersonates. */
export async function liveClient({ server, adminToken, ca }: Access, user?: string): Promise<LiveClient> {
  const connection: Connection = {
    server,
    namespace: 'default',
    tls: { ca, insecure: false, serverName: undefined },
    user: { name: 'admin', token: adminToken },
    impersonation: user ? { user, uid: undefined, groups: [], extra: {} } : undefined,
    proxyUrl: undefined,
    requestTimeoutMs: 0,
    disableCompression: false,
    env: {},
  };
  const transport = await connect(connection, { userAgent: 'live-client', onWarning: () => undefined });
  const types = refreshedTypes(transport, systemClock);
  return { transport, writer: kubeWriter(transport, types), watcher: kubeWatcher(transport, types) };
}
