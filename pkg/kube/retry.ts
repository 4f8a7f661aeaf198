import type { HttpAnswer } from './http-exchange.ts';

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 5_000;

/** How long to wait before a read is sent again, as the server asked; undefined to take the answer as it is. */
export function retryDelayMs(
  method: string,
  { status, headers }: Pick<HttpAnswer, 'status' | 'headers'>,
  attempt: number,
): number | undefined {
  if (method !== 'GET' || (status !== 429 && status !== 503) || attempt >= MAX_ATTEMPTS) return undefined;
  const seconds = /^\d+$/.exec(headers['retry-after'] ?? '')?.[0];
  return seconds === undefined ? undefined : Math.min(Number(seconds) * 1000, MAX_WAIT_MS);
}
