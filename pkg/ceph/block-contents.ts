import { answered, gapFor } from './answered.ts';
import type { Ceph } from './client.ts';
import { joined, NOTHING, type Contents } from './contents.ts';
import { objectsIn } from './pool-objects.ts';
import type { RadosObject } from './stored-things.ts';

/** To name snapshots, each image is opened; beyond this many images their names are enough. */
const MAX_OPENED = 100;
/** Ceph makes it again, and it holds nothing of anybody's. */
const MANAGER_POOL = '.mgr';

/**
 * What RBD and ceph-csi leave in a pool that holds no image: their tables of contents, and where daemons that mirror find each
 * other. Not so the header of a group (`rbd_group_header.ID`): somebody has made the group.
 */
const BOOKKEEPING = [
  /^rbd_(info|directory|children|group_directory|trash|purging|namespace|task)$/,
  /^rbd_(mirroring|mirror_leader|mirror_instance\..*|mirror_snapshot_schedule|trash_purge_schedule)$/,
  /^csi\.(volumes|snaps|groups)\..*$/,
];

/** Everything that is lost with a pool. */
export async function poolContents(ceph: Ceph, pool: string, signal: AbortSignal): Promise<Contents> {
  if (pool === MANAGER_POOL) return NOTHING;
  const what = `RBD images, snapshots and objects in pool ${pool}`;
  try {
    const { pools } = await ceph.osdMap(signal);
    if (!pools.some(({ name }) => name === pool)) return NOTHING;
    const namespaces = await ceph.radosNamespaces(pool, signal);
    const images = joined(
      await Promise.all(['', ...namespaces].map((namespace) => imagesIn(ceph, pool, namespace, signal))),
    );
    if (images.items.length > 0 || images.gaps.length > 0) return images;
    return await answered(`objects in pool ${pool}`, () => objectsIn(ceph, [pool], isSomebodys, signal));
  } catch (error) {
    return gapFor(what, error);
  }
}

/** What a rados namespace holds, or nothing where Ceph has no such namespace. */
export async function namespaceContents(
  ceph: Ceph,
  pool: string,
  namespace: string,
  signal: AbortSignal,
): Promise<Contents> {
  try {
    const { pools } = await ceph.osdMap(signal);
    if (!pools.some(({ name }) => name === pool)) return NOTHING;
    if (!(await ceph.radosNamespaces(pool, signal)).includes(namespace)) return NOTHING;
    return await imagesIn(ceph, pool, namespace, signal);
  } catch (error) {
    return gapFor(`RBD images and snapshots in rados namespace ${namespace}`, error);
  }
}

async function imagesIn(ceph: Ceph, pool: string, namespace: string, signal: AbortSignal): Promise<Contents> {
  const where = namespace ? `rados namespace ${pool}/${namespace}` : `pool ${pool}`;
  const named = (name: string): string => (namespace ? `${namespace}/${name}` : name);
  const images = await answered(`RBD images in ${where}`, async () => {
    const names = await ceph.images(pool, namespace, signal);
    return names.map((name) => ({ kind: 'RBDImage', name: named(name) }));
  });
  const trash = await answered(`RBD trash of ${where}`, async () => {
    const trashed = await ceph.trash(pool, namespace, signal);
    return trashed.map(({ id, name }) => ({ kind: 'RBDTrash', name: named(name), detail: `id ${id}` }));
  });
  const count = images.items.length;
  if (count === 0 || count > MAX_OPENED) return joined([images, trash]);
  const snapshots = await answered(`RBD snapshots in ${where}`, async () => {
    const names = await ceph.snapshots(pool, namespace, signal);
    return names.map((name) => ({ kind: 'RBDSnapshot', name: named(name) }));
  });
  return joined([images, snapshots, trash]);
}

/** Of an object store that shares the pool, of images whose names are in another pool, of librados. */
function isSomebodys({ name }: RadosObject): boolean {
  return !BOOKKEEPING.some((table) => table.test(name));
}
