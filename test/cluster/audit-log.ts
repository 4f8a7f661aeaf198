import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { numberAt, textAt } from '#pkg/object';
import { get, type Access } from '../../scripts/controlplane/index.ts';
import { controlPlane } from './control-plane.ts';

const LIMIT_MS = 10_000;
const POLL_MS = 10;

/** An API server and where it keeps its log. */
export type Audited = Access & { readonly auditLog: string };

/** A moment in the audit log. */
export type Marker = number & { readonly marker: true };

/** A request that the API server has answered. */
export interface AuditedRequest {
  readonly verb: string;
  /** Path and query. */
  readonly uri: string;
  readonly code: number;
  readonly userAgent: string;
  readonly user: string;
}

/** The present moment: requests answered before it are not among those since. */
export async function marker(plane: Audited = controlPlane()): Promise<Marker> {
  await settle(plane);
  return (await stat(plane.auditLog)).size as Marker;
}

/** The requests answered since, of clients whose User-Agent starts so. A watch counts when it ends. */
export async function requestsSince(
  since: Marker,
  userAgentPrefix: string,
  plane: Audited = controlPlane(),
): Promise<AuditedRequest[]> {
  await settle(plane);
  const lines = (await logFrom(plane, since)).split('\n').filter((line) => line !== '');
  return lines.map(readEvent).filter(({ userAgent }) => userAgent.startsWith(userAgentPrefix));
}

/**
 * An answer may be complete for its reader an instant before it is in the log. A request that begins later and is
 * in the log shows that those before it are as well.
 */
async function settle(plane: Audited): Promise<void> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const { size } = await stat(plane.auditLog);
  const userAgent = `settle/${randomUUID()}`;
  await get(plane, '/version', userAgent, signal);
  while (!(await logFrom(plane, size)).includes(userAgent)) await sleep(POLL_MS, undefined, { signal });
}

async function logFrom({ auditLog }: Audited, offset: number): Promise<string> {
  await using file = await open(auditLog);
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - offset), 0, size - offset, offset);
  return buffer.toString('utf8', 0, bytesRead);
}

function readEvent(line: string): AuditedRequest {
  const event: unknown = JSON.parse(line);
  return {
    verb: textAt(event, 'verb') ?? '',
    uri: textAt(event, 'requestURI') ?? '',
    code: numberAt(event, 'responseStatus', 'code') ?? 0,
    userAgent: textAt(event, 'userAgent') ?? '',
    user: textAt(event, 'user', 'username') ?? '',
  };
}
