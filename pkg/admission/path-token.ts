import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Small hex: of a webhook's path the API server allows neither capitals nor underscores. */
const TOKEN = /^[0-9a-f]{64}$/;

/** What only the API server knows, from the webhook configuration: it is the last part of every path that it calls. */
export function newToken(): string {
  return randomBytes(32).toString('hex');
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The path or URL of a webhook with this token in place of any other. */
export function withToken(address: string, token: string): string {
  return `${withoutToken(address)}/${token}`;
}

export function withoutToken(address: string): string {
  return hasToken(address) ? address.slice(0, address.lastIndexOf('/')) : address;
}

/** Whether there is one at all; which one is not looked at. */
export function hasToken(address: string): boolean {
  return isToken(address.slice(address.lastIndexOf('/') + 1));
}

/** The path without the token, if it ends with the right one. */
export function unlocked(path: string, token: string): string | undefined {
  const at = path.lastIndexOf('/');
  return isSame(path.slice(at + 1), token) ? path.slice(0, at) : undefined;
}

/** Takes equally long wherever they differ: hashes cannot be approached letter by letter. */
function isSame(given: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(right));
}
