import { BlockList, isIP } from 'node:net';
import type { Environment } from './kubeconfig-merge.ts';

/** The proxy on the way to a server, by Go's rules: the configured one, else the one of the environment. */
export function proxyFor(server: URL, configured: string | undefined, env: Environment): URL | undefined {
  if (configured) return new URL(configured);
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const setting = env[name] || env[name.toLowerCase()];
  if (!setting || isExempt(server, env['NO_PROXY'] || env['no_proxy'] || '')) return undefined;
  const withScheme = /^[a-z0-9]+:\/\//i.test(setting) ? setting : `http://${setting}`;
  return URL.canParse(withScheme) ? new URL(withScheme) : undefined;
}

function isExempt(server: URL, noProxy: string): boolean {
  const host = server.hostname.replaceAll(/[[\]]/g, '').toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || /^127\.|^::1$/.test(host)) return true;
  return noProxy.split(',').some((entry) => matches(entry.trim().toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  if (entry.includes('/')) return inNetwork(entry, host);
  const { name, onlyPort } = splitPort(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(name)) return name === host;
  const domain = name.replace(/^\*(?=\.)/, '');
  // A leading dot leaves out the domain itself; without one it is meant as well.
  if (domain.startsWith('.')) return host.endsWith(domain);
  return host === domain || host.endsWith(`.${domain}`);
}

function splitPort(entry: string): { readonly name: string; readonly onlyPort: string | undefined } {
  if (isIP(entry)) return { name: entry, onlyPort: undefined };
  const [, bracketed, plain, onlyPort] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  return { name: bracketed ?? plain ?? entry, onlyPort };
}

function inNetwork(entry: string, host: string): boolean {
  const [network = '', prefix = ''] = entry.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), type);
  return list.check(host, type);
}
