import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { textAt, type ResourceType } from '#pkg/object';
import type { Access } from '../controlplane/index.ts';
import { apiVersionOf, type Create, type Seed } from './population/index.ts';
import { IN_FLIGHT } from './population/parallel.ts';

/** How the benchmark's own requests are told from those of the programs it measures. */
export const OWN_USER_AGENT = 'rook-deps-bench';

/** Creates objects over kept connections. Any refusal is an error. */
export function creator(access: Access, signal: AbortSignal): { create: Create; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT, ca: access.ca });
  const send = (method: string, path: string, type: string, body: object): Promise<unknown> =>
    exchange(new URL(path, access.server), { method, agent, token: access.adminToken, type, signal }, body);

  async function create(seed: Seed) {
    const path = collectionPath(seed.type, seed.namespace);
    const stored = await send('POST', path, 'application/json', manifestOf(seed));
    if (seed.status) {
      const body = { status: seed.status };
      await send('PATCH', `${path}/${seed.name}/status`, 'application/merge-patch+json', body);
    }
    return { ...seed, uid: textAt(stored, 'metadata', 'uid') ?? '' };
  }
  return { create, close: () => agent.destroy() };
}

function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root = type.group === '' ? '/api/' : '/apis/';
  return `${root}${apiVersionOf(type)}${namespace ? `/namespaces/${namespace}` : ''}/${type.plural}`;
}

function manifestOf({ type, name, namespace, labels, annotations, finalizers, owner, fields }: Seed): object {
  const ownerReferences = owner ? [owner] : undefined;
  const metadata = { name, namespace, labels, annotations, finalizers, ownerReferences };
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata, ...fields };
}

interface Sending {
  readonly method: string;
  readonly agent: Agent;
  readonly token: string;
  readonly type: string;
  readonly signal: AbortSignal;
}

async function exchange(
  url: URL,
  { method, agent, token, type, signal }: Sending,
  body: object,
): Promise<unknown> {
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = {
    authorization: `Bearer ${token}`,
    'user-agent': OWN_USER_AGENT,
    'content-type': type,
    'content-length': bytes.length,
  };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const sent = request(url, { method, agent, headers, signal }, (answer) => {
    text(answer).then((read) => resolve({ status: answer.statusCode ?? 0, body: read }), reject);
  });
  sent.once('error', reject);
  sent.end(bytes);
  const { status, body: answer } = await promise;
  if (status >= 300) throw new Error(`cannot ${method} ${url.pathname}: ${status} ${answer}`);
  return JSON.parse(answer);
}
