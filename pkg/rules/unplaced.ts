import { Kinds } from '#pkg/object';
import type { CephDriver } from './csi-volume.ts';
import type { Doubt } from './rule.ts';

/** Something of Ceph's that does not tell where it is stored. */
export const UNPLACED: Doubt = { doubt: 'cannot tell where it is stored' };

const BLOCK = [Kinds.CephCluster, Kinds.CephBlockPool, Kinds.CephBlockPoolRadosNamespace];
const FILE = [Kinds.CephCluster, Kinds.CephFilesystem, Kinds.CephFilesystemSubVolumeGroup];
const ABOUT = { rbd: BLOCK, nvmeof: BLOCK, cephfs: FILE, nfs: [...FILE, Kinds.CephNFS] };

/** The same, of a CSI driver: it may be in any provider of the driver's kinds. */
export function unplacedBy(driver: CephDriver): Doubt {
  return { ...UNPLACED, about: ABOUT[driver] };
}
