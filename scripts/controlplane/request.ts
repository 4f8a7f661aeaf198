import { request } from 'node:https';
import { text } from 'node:stream/consumers';

/** Where an API server is and how to be its administrator. */
export interface Access {
  readonly server: string;
  readonly adminToken: string;
  /** PEM. */
  readonly ca: string;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Request {
  readonly method: 'GET' | 'PATCH';
  /** With its query. */
  readonly path: string;
  readonly userAgent: string;
  readonly body?: { readonly type: string; readonly text: string };
}

/** Sends one request as the administrator; any answer is a success. */
export async function send(
  { server, adminToken, ca }: Access,
  { method, path, userAgent, body }: Request,
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = {
    authorization: `Bearer ${adminToken}`,
    'user-agent': userAgent,
    ...(body ? { 'content-type': body.type } : {}),
  };
  const sent = request(new URL(path, server), { method, ca, headers, signal }, (response) => {
    text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
  });
  sent.once('error', reject);
  sent.end(body?.text);
  return promise;
}

/** A GET as the administrator. */
export function get(access: Access, path: string, userAgent: string, signal: AbortSignal): Promise<Answer> {
  return send(access, { method: 'GET', path, userAgent }, signal);
}
