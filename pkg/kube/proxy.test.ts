import { createServer as createHttpServer } from 'node:http';
import {
  connect as connectTcp,
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
} from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { proxyFor } from './proxy.ts';
import { aTransport, sendJson, startFakeServer } from './testing/fake-server.ts';

const signal = new AbortController().signal;
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

describe('which proxy', () => {
  const env = { HTTPS_PROXY: 'http://p:3128' };
  test.for([
    { name: 'the configured one goes first', configured: 'http://mine:1', noProxy: '*', proxy: 'mine:1' },
    { name: 'the environment is used', noProxy: '', proxy: 'p:3128' },
    { name: 'a star exempts all', noProxy: 'x, *', proxy: undefined },
    { name: 'the host is exempt', noProxy: 'api.example.com', proxy: undefined },
    { name: 'the domain is exempt', noProxy: 'example.com', proxy: undefined },
    { name: 'a dotted domain is exempt', noProxy: '.example.com', proxy: undefined },
    { name: 'a suffix without dot is no domain', noProxy: 'ample.com', proxy: 'p:3128' },
    { name: 'the port matches', noProxy: 'example.com:6443', proxy: undefined },
    { name: 'another port does not', noProxy: 'example.com:443', proxy: 'p:3128' },
  ])('$name', ({ configured, noProxy, proxy }) => {
    const found = proxyFor(new URL('https://api.example.com:6443'), configured, {
      ...env,
      NO_PROXY: noProxy,
    });
    expect(found?.host).toBe(proxy);
  });

  test.for([
    { server: 'https://10.1.2.3', noProxy: '10.0.0.0/8', proxied: false },
    { server: 'https://11.1.2.3', noProxy: '10.0.0.0/8', proxied: true },
    { server: 'https://[fd00::1]', noProxy: 'fd00::/8', proxied: false },
    { server: 'https://[fd00::1]', noProxy: '[fd00::1]:443', proxied: false },
    { server: 'https://10.1.2.3', noProxy: '10.1.2.3', proxied: false },
    { server: 'https://10.1.2.3', noProxy: '10.1.2.3/99', proxied: true },
    { server: 'https://localhost:1', noProxy: '', proxied: false },
    { server: 'https://127.0.0.9', noProxy: '', proxied: false },
    { server: 'http://10.1.2.3', noProxy: '', proxied: false },
  ])('$server with NO_PROXY=$noProxy is proxied: $proxied', ({ server, noProxy, proxied }) => {
    expect(proxyFor(new URL(server), undefined, { ...env, no_proxy: noProxy }) !== undefined).toBe(proxied);
  });

  test('a proxy without scheme is an HTTP proxy', () => {
    expect(proxyFor(new URL('https://a'), undefined, { https_proxy: 'p:8080' })?.href).toBe('http://p:8080/');
  });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  return (server.address() as AddressInfo).port;
}

test('requests go through an HTTP proxy, on one kept tunnel', async () => {
  const server = await startFakeServer((_, answer) => sendJson(answer, 200, { ok: true }));
  open.push(server);
  const tunnels: (string | undefined)[] = [];
  const proxy = createHttpServer();
  proxy.on('connect', (request, socket) => {
    tunnels.push(`${request.url} ${request.headers['proxy-authorization']}`);
    const upstream = connectTcp(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    socket.on('close', () => upstream.destroy());
  });
  const port = await listening(proxy);
  const transport = await aTransport(server.url, { proxyUrl: `http://me:secret@127.0.0.1:${port}` });
  await transport.getJson('/x', {}, signal);
  await expect(transport.getJson('/x', {}, signal)).resolves.toEqual({ ok: true });
  expect(tunnels).toEqual([`${new URL(server.url).host} Basic bWU6c2VjcmV0`]);
  transport.close();
});

test('requests go through a SOCKS proxy, which looks up the name', async () => {
  const server = await startFakeServer((_, answer) => sendJson(answer, 200, { ok: true }));
  open.push(server);
  const serverPort = Number(new URL(server.url).port);
  const names: string[] = [];
  const proxy = createTcpServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request: Buffer) => {
        names.push(request.subarray(5, 5 + (request[4] ?? 0)).toString());
        const upstream = connectTcp(serverPort, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 1]));
          upstream.pipe(socket).pipe(upstream);
        });
        socket.on('close', () => upstream.destroy());
      });
    });
  });
  const port = await listening(proxy);
  const transport = await aTransport(`http://kube.invalid:${serverPort}`, {
    proxyUrl: `socks5://127.0.0.1:${port}`,
  });
  await expect(transport.getJson('/x', {}, signal)).resolves.toEqual({ ok: true });
  expect(names).toEqual(['kube.invalid']);
  transport.close();
});

test('a proxy that wants a password says so', async () => {
  const proxy = createHttpServer();
  proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'));
  const port = await listening(proxy);
  const transport = await aTransport('http://kube.invalid:1', { proxyUrl: `http://127.0.0.1:${port}` });
  await expect(transport.getJson('/x', {}, signal)).rejects.toThrow(
    'Unable to connect to the server: Proxy Authentication Required',
  );
});

test.for(['http', 'socks5'])('a %s proxy that is not there reads as a refusal', async (scheme) => {
  const transport = await aTransport('http://kube.invalid:1', { proxyUrl: `${scheme}://127.0.0.1:9` });
  await expect(transport.getJson('/x', {}, signal)).rejects.toThrow(
    'The connection to the server kube.invalid:1 was refused - did you specify the right host or port?',
  );
});
