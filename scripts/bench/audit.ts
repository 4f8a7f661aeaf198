import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { textAt } from '#pkg/object';
import { get, type ControlPlane } from '../controlplane/index.ts';
import { OWN_USER_AGENT } from './creator.ts';
import type { Run } from './measure.ts';

const POLL_MS = 50;

/** When each request of others reached the API server, in milliseconds since 1970, from an offset in the log on. */
export async function arrivalsSince(
  plane: ControlPlane,
  offset: number,
  signal: AbortSignal,
): Promise<readonly number[]> {
  await settle(plane, signal);
  const arrivals: number[] = [];
  for await (const line of createInterface({ input: createReadStream(plane.auditLog, { start: offset }) })) {
    const arrival = arrivalOf(line);
    if (arrival !== undefined) arrivals.push(arrival);
  }
  return arrivals;
}

/** When a request reached the server; undefined for the benchmark's own. */
export function arrivalOf(line: string): number | undefined {
  const event: unknown = JSON.parse(line);
  if (textAt(event, 'userAgent')?.startsWith(OWN_USER_AGENT)) return undefined;
  return Date.parse(textAt(event, 'requestReceivedTimestamp') ?? '');
}

/** Programs run one at a time: what arrived while one ran is its own. */
export function requestsDuring({ startedAt, endedAt }: Run, arrivals: readonly number[]): number {
  return arrivals.filter((arrival) => arrival >= startedAt && arrival <= endedAt).length;
}

/** A request that begins later and is in the log shows that those before it are as well. */
async function settle(plane: ControlPlane, signal: AbortSignal): Promise<void> {
  const { size } = await stat(plane.auditLog);
  const userAgent = `${OWN_USER_AGENT}/${randomUUID()}`;
  await get(plane, '/version', userAgent, signal);
  const isLogged = async (): Promise<boolean> =>
    (await readFile(plane.auditLog)).subarray(size).includes(userAgent);
  while (!(await isLogged())) await sleep(POLL_MS, undefined, { signal });
}
