import { Kinds, UserError, type KubeObject } from '#pkg/object';
import { parseUsage, type Usage } from '#pkg/usage';
import type { Source } from './wiring.ts';

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
