import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { textAt, type KubeObject } from '#pkg/object';
import type { Access } from '../../scripts/controlplane/index.ts';

const LIMIT_MS = 30_000;

/** As much of an object as it takes to find it. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** Of a Status; empty for anything else. */
  readonly message: string;
}

interface Call {
  readonly as?: string | undefined;
  readonly query?: string | undefined;
  readonly subresource?: string | undefined;
}

interface Deletion extends Call {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** A version other than the target's, to reach the object by. */
  readonly apiVersion?: string;
}

/** The API as a test speaks to it: as the administrator, or as whom it says. Any answer is a success. */
export class Client {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  create(object: Target, call: Call = {}): Promise<Reply> {
    return this.send('POST', collectionOf(object), object, call);
  }

  async read(target: Target): Promise<KubeObject | undefined> {
    const { status, body, message } = await this.send('GET', pathOf(target), undefined);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`cannot read ${pathOf(target)}: ${status} ${message}`);
    return body as KubeObject;
  }

  /** A merge patch. */
  patch(target: Target, change: object, call: Call = {}): Promise<Reply> {
    return this.send('PATCH', pathOf(target), change, call);
  }

  delete(target: Target, { propagationPolicy, apiVersion, ...call }: Deletion = {}): Promise<Reply> {
    const path = pathOf(apiVersion === undefined ? target : { ...target, apiVersion });
    return this.send('DELETE', path, propagationPolicy && { propagationPolicy }, call);
  }

  deleteCollection(target: Target, query: string): Promise<Reply> {
    return this.send('DELETE', collectionOf(target), undefined, { query });
  }

  async send(
    method: string,
    path: string,
    content: object | undefined,
    { as, query, subresource }: Call = {},
  ): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const { server, adminToken, ca } = this.#access;
    const payload = content && JSON.stringify(content);
    const headers = {
      // Of a DELETE Node sends no length by itself: the server would take its options for the next request.
      ...(payload ? { 'content-length': Buffer.byteLength(payload) } : {}),
      authorization: `Bearer ${adminToken}`,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      ...(as ? { 'impersonate-user': as } : {}),
    };
    const url = new URL(`${path}${subresource ? `/${subresource}` : ''}${query ? `?${query}` : ''}`, server);
    const signal = AbortSignal.timeout(LIMIT_MS);
    const sent = request(url, { method, ca, headers, signal }, (response) => {
      text(response).then((answer) => resolve(replyOf(response.statusCode ?? 0, answer)), reject);
    });
    sent.once('error', reject);
    sent.end(payload);
    return promise;
  }
}

function replyOf(status: number, answer: string): Reply {
  const body: unknown = answer.startsWith('{') ? JSON.parse(answer) : answer;
  return { status, body, message: textAt(body, 'message') ?? '' };
}

function collectionOf({ apiVersion, kind, metadata: { namespace } }: Target): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}${namespace ? `/namespaces/${namespace}` : ''}/${pluralOf(kind)}`;
}

function pluralOf(kind: string): string {
  return `${kind.toLowerCase()}s`.replace(/([^aeiou])ys$/, '$1ies');
}

function pathOf(target: Target): string {
  return `${collectionOf(target)}/${target.metadata.name}`;
}
