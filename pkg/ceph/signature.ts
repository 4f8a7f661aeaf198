import { createHash, createHmac } from 'node:crypto';
import type { AccessKey } from './stored-things.ts';

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** Gateways of Ceph take any region. */
const REGION = 'us-east-1';
const SCOPE_END = `${REGION}/s3/aws4_request`;
const UNSIGNED = 'UNSIGNED-PAYLOAD';

/** The headers that sign a request without a body as Amazon's version 4 asks for it. The secret itself is not sent. */
export function signedHeaders(
  method: 'GET' | 'PUT',
  url: URL,
  key: AccessKey,
  now: number,
): Readonly<Record<string, string>> {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = `${time.slice(0, 8)}/${SCOPE_END}`;
  const headers = { host: url.host, 'x-amz-content-sha256': UNSIGNED, 'x-amz-date': time };
  const names = Object.keys(headers).join(';');
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...Object.entries(headers).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    UNSIGNED,
  ].join('\n');
  const toSign = [ALGORITHM, time, scope, sha256(canonical)].join('\n');
  const signature = hmac(signingKey(key.secretKey, scope), toSign).toString('hex');
  const credential = `Credential=${key.accessKey}/${scope}`;
  return {
    'x-amz-content-sha256': UNSIGNED,
    'x-amz-date': time,
    authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

function canonicalQuery(url: URL): string {
  const pairs = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  return pairs.sort().join('&');
}

/** Stricter than encodeURIComponent. */
function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function signingKey(secret: string, scope: string): Buffer {
  const start: Buffer = Buffer.from(`AWS4${secret}`);
  return scope.split('/').reduce<Buffer>((key, part) => hmac(key, part), start);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
