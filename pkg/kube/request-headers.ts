import type { Identity } from './authenticator.ts';
import type { Impersonation } from './connection.ts';

type Headers = Record<string, string | string[]>;

/** Who asks: our own proof, and whom we act as. */
export function identityHeaders(
  { authorization }: Identity,
  impersonation: Impersonation | undefined,
): Headers {
  return {
    ...(authorization && { authorization }),
    ...(impersonation && impersonationHeaders(impersonation)),
  };
}

function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Headers {
  const headers: Headers = { 'Impersonate-User': utf8(user) };
  if (uid) headers['Impersonate-Uid'] = utf8(uid);
  if (groups.length > 0) headers['Impersonate-Group'] = groups.map(utf8);
  for (const [key, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`Impersonate-Extra-${escapedKey(key)}`] = values.map(utf8);
  }
  return headers;
}

/** Node writes header values byte by byte; the server reads them as UTF-8. */
function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Bytes that may not stand in a header's name, and `%` itself, as %XX. */
function escapedKey(key: string): string {
  let escaped = '';
  for (const byte of Buffer.from(key, 'utf8')) {
    const character = String.fromCharCode(byte);
    const legal = /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(character);
    escaped += legal ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
