import { systemClock } from '#pkg/clock';
import { Kinds, refOf, textAt, UserError, type KubeObject } from '#pkg/object';
import { parseUsage, readyCondition, type Usage } from '#pkg/usage';

import type { Source } from './wiring.ts';

const POLL_MS = 200;

/** Usages exist only where we are installed: says so where we are not. */
export async function requireUsages({ reader }: Source, signal: AbortSignal): Promise<void> {
  const types = await reader.types(signal);
  if (types.find(Kinds.Usage) && types.find(Kinds.ClusterUsage)) return;
  throw new UserError(
    `error: rook-deps is not installed in this cluster, so nothing can be protected (install it: kubectl rook-deps install)`,
  );
}

/** All usages of a namespace and of the cluster, or of all namespaces. */
export async function listUsages(
  { reader }: Source,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly Usage[]> {
  const listings = await Promise.all([
    reader.list({ kind: Kinds.Usage, namespace, detail: 'object' }, signal),
    reader.list({ kind: Kinds.ClusterUsage, detail: 'object' }, signal),
  ]);
  const [gap] = listings.flatMap(({ gaps }) => gaps);
  if (gap) throw new UserError(`error: cannot list ${gap.what}: ${gap.reason}`);
  return listings.flatMap(({ items }) => items).map(parseUsage);
}

export function usageName(object: KubeObject): string {
  return `${object.kind.toLowerCase()}.rook-deps.io/${object.metadata.name}`;
}

/** Waits for the end of deleted usages. One whose object is used by another waits itself for the end of that one. */
export async function untilGone(
  usages: readonly KubeObject[],
  limitMs: number,
  { reader }: Source,
  signal: AbortSignal,
): Promise<void> {
  const deadline = systemClock.now() + limitMs;
  for (const usage of usages) {
    for (;;) {
      const { namespace, name, uid } = usage.metadata;
      const found = await reader.get(refOf(usage), namespace, name, signal);
      if (found?.metadata.uid !== uid) break;
      if (systemClock.now() >= deadline)
        throw new UserError(
          `error: ${usageName(usage)} is not gone after ${limitMs / 1000}s: ${stateOf(found)}`,
          {
            exitCode: 124,
          },
        );
      await systemClock.sleep(POLL_MS, signal);
    }
  }
}

function stateOf(usage: KubeObject | undefined): string {
  const ready = usage && readyCondition(usage);
  return textAt(ready, 'message') ?? textAt(ready, 'reason') ?? 'is the controller running?';
}
