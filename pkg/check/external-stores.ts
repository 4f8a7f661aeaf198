import { ADMIN_OPS_USER, isExternal } from '#pkg/ceph';
import { Kinds } from '#pkg/object';
import type { CheckPorts } from './check.ts';
import { mayController } from './controller-access.ts';

/** A right that is missing, and how it is given. */
export interface Lack {
  readonly text: string;
  readonly hint: string;
}

/** External object stores whose keys the controller may not read: their buckets cannot be asked for. */
export async function externalStoreLacks(
  controllerNamespace: string,
  ports: CheckPorts,
  signal: AbortSignal,
): Promise<readonly Lack[]> {
  const { items, gaps } = await ports.reader.list({ kind: Kinds.CephObjectStore, detail: 'object' }, signal);
  const unseen = gaps.map(({ reason }) => ({
    text: `external object stores: not looked at: ${reason}`,
    hint: 'you lack the right to list CephObjectStores',
  }));
  const lacks = await Promise.all(
    items.filter(isExternal).map(async ({ metadata: { namespace = '', name } }) => {
      const access = { verb: 'get', resource: 'secrets', name: ADMIN_OPS_USER, namespace };
      if (await mayController([access], namespace, controllerNamespace, ports, signal)) return [];
      const text = `${namespace}/${name}: it may not get Secret ${ADMIN_OPS_USER}`;
      return [{ text, hint: `run: kubectl rook-deps install --ceph-namespace ${namespace}` }];
    }),
  );
  return [...unseen, ...lacks.flat()];
}
