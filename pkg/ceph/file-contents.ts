import { answered, gapFor } from './answered.ts';
import type { Ceph } from './client.ts';
import { joined, NOTHING, type Contents } from './contents.ts';
import { objectsIn } from './pool-objects.ts';

/** Everything that is lost with a filesystem. */
export async function filesystemContents(
  ceph: Ceph,
  filesystem: string,
  signal: AbortSignal,
): Promise<Contents> {
  try {
    const known = (await ceph.filesystems(signal)).find(({ name }) => name === filesystem);
    if (!known) return NOTHING;
    const groups = await ceph.subvolumeGroups(filesystem, signal);
    const subvolumes = joined(
      await Promise.all([undefined, ...groups].map((group) => subvolumesIn(ceph, filesystem, group, signal))),
    );
    if (subvolumes.items.length > 0 || subvolumes.gaps.length > 0) return subvolumes;
    // Files outside of subvolumes, and those that Ceph has not removed yet, show only in the pools that hold them.
    return await answered(`files in filesystem ${filesystem}`, () =>
      objectsIn(ceph, known.dataPools, () => true, signal),
    );
  } catch (error) {
    return gapFor(`subvolumes and files in filesystem ${filesystem}`, error);
  }
}

/** What a subvolume group holds, or nothing where Ceph has no such group. */
export async function groupContents(
  ceph: Ceph,
  filesystem: string,
  group: string,
  signal: AbortSignal,
): Promise<Contents> {
  try {
    const known = (await ceph.filesystems(signal)).some(({ name }) => name === filesystem);
    if (!known || !(await ceph.subvolumeGroups(filesystem, signal)).includes(group)) return NOTHING;
    return await subvolumesIn(ceph, filesystem, group, signal);
  } catch (error) {
    return gapFor(`subvolumes in group ${group}`, error);
  }
}

function subvolumesIn(
  ceph: Ceph,
  filesystem: string,
  group: string | undefined,
  signal: AbortSignal,
): Promise<Contents> {
  const where = group ? `group ${group}` : `filesystem ${filesystem} outside of all groups`;
  return answered(`subvolumes in ${where}`, async () => {
    const names = await ceph.subvolumes(filesystem, group, signal);
    return names.map((name) => ({ kind: 'Subvolume', name: group ? `${group}/${name}` : name }));
  });
}
