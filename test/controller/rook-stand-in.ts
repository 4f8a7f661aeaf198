import { setTimeout as sleep } from 'node:timers/promises';
import { ROOK_KINDS, type KubeObject } from '#pkg/object';
import type { Named, RookObjects } from './rook-objects.ts';
import type { Scene } from './scene.ts';

/** The finalizer that Rook puts on a resource of a kind. */
export const finalizerOf = (kind: string): string => `${kind.toLowerCase()}.ceph.rook.io`;

export interface Served {
  /** In the order in which they were let go. */
  readonly names: readonly string[];
}

/** Does what Rook's operator does about deletions: takes its finalizer off, some time after it was asked to. */
export async function serveFinalizers(
  scene: Scene,
  rook: RookObjects,
  namespace: string,
  signal: AbortSignal,
): Promise<Served> {
  const names: string[] = [];
  while (!signal.aborted) {
    for (const type of ROOK_KINDS) {
      const path = `/apis/ceph.rook.io/v1/namespaces/${namespace}/${type.plural}`;
      const { body } = await scene.client.send('GET', path, undefined);
      const items = (body as { readonly items?: readonly KubeObject[] }).items ?? [];
      for (const { metadata } of items) {
        const own = finalizerOf(type.kind);
        if (!metadata.deletionTimestamp || !metadata.finalizers?.includes(own)) continue;
        const named: Named = { kind: type.kind, namespace, name: metadata.name };
        const finalizers = metadata.finalizers.filter((name) => name !== own);
        const { resourceVersion } = metadata;
        const { status } = await rook.patch(named, { metadata: { finalizers, resourceVersion } });
        if (status === 200) names.push(type.kind);
      }
    }
    await sleep(100);
  }
  return { names };
}
