import type { Ceph } from './client.ts';
import type { Content } from './contents.ts';
import type { RadosObject } from './stored-things.ts';

/** Of a pool that is believed to hold more objects than this, they are only counted. */
const MAX_LISTED = 100;

/** What pools hold that is somebody's, by the number of objects. */
export async function objectsIn(
  ceph: Ceph,
  pools: readonly string[],
  isSomebodys: (object: RadosObject) => boolean,
  signal: AbortSignal,
): Promise<readonly Content[]> {
  const believed = await ceph.objectCounts(signal);
  // The count is seconds old, so a small one proves nothing; the list is of now.
  const countOf = async (pool: string): Promise<number> => {
    const many = believed.get(pool) ?? 0;
    return many > MAX_LISTED ? many : (await ceph.objects(pool, signal)).filter(isSomebodys).length;
  };
  const counted = await Promise.all(pools.map(async (pool) => ({ pool, count: await countOf(pool) })));
  return counted
    .filter(({ count }) => count > 0)
    .map(({ pool, count }) => ({
      kind: 'RADOSObjects',
      name: pool,
      detail: `${count} object${count === 1 ? '' : 's'}`,
    }));
}
