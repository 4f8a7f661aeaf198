import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions } from 'node:https';
import { getCACertificates } from 'node:tls';
import type { Identity } from './authenticator.ts';
import type { Connection, ServerTls } from './connection.ts';
import { proxyFor } from './proxy.ts';

/** Requests under way at a time, and so connections. */
export const MAX_IN_FLIGHT = 8;

/** An agent that keeps its connections, through a proxy if one is set. Proxy libraries load only then. */
export async function createAgent(connection: Connection, identity: Identity): Promise<HttpAgent> {
  const server = new URL(connection.server);
  const secure = server.protocol === 'https:';
  const options: AgentOptions = {
    keepAlive: true,
    maxSockets: MAX_IN_FLIGHT,
    maxFreeSockets: MAX_IN_FLIGHT,
    ...(secure && tlsOptions(connection.tls, identity)),
  };
  const proxy = proxyFor(server, connection.proxyUrl, connection.env);
  if (!proxy) return secure ? new HttpsAgent(options) : new HttpAgent(options);
  if (proxy.protocol.startsWith('socks')) {
    const { SocksProxyAgent } = await import('socks-proxy-agent');
    // kubectl leaves the look-up of names to the proxy; this library calls that `socks5h`.
    return new SocksProxyAgent(proxy.href.replace(/^socks5?:/, 'socks5h:'), options);
  }
  const { HttpProxyAgent, HttpsProxyAgent } = await import('hpagent');
  return secure ? new HttpsProxyAgent({ ...options, proxy }) : new HttpProxyAgent({ ...options, proxy });
}

function tlsOptions({ ca, insecure, serverName }: ServerTls, { certificate, key }: Identity): AgentOptions {
  return {
    rejectUnauthorized: !insecure,
    // Without a CA of its own a cluster is judged by the machine's authorities, as in kubectl; Node has only its own.
    ...(!insecure && { ca: ca ?? [...getCACertificates('default'), ...getCACertificates('system')] }),
    ...(serverName && { servername: serverName }),
    ...(certificate && key && { cert: certificate, key }),
  };
}
