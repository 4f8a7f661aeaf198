import { Kinds, recordAt, refOf, textAt, type ResourceType } from '#pkg/object';
import { locationsOf, placesNamed } from './csi-location.ts';
import { cephDriver, type CephDriver } from './csi-volume.ts';
import type { CodePage, Rule } from './rule.ts';

/** A class only matters when the next volume is made: it is shown, but it does not hold its provider. */
function storageClass(
  page: CodePage,
  relation: string,
  drivers: readonly CephDriver[],
  targets: readonly ResourceType[],
): Rule {
  return {
    ...page,
    relation,
    blocks: false,
    reads: [Kinds.StorageClass],
    targets,
    consults: [
      { kind: Kinds.ClientProfile, across: true },
      { kind: Kinds.CephBlockPool },
      { kind: Kinds.CephBlockPoolRadosNamespace },
      { kind: Kinds.CephFilesystemSubVolumeGroup },
    ],
    *references(object, lookup) {
      const driver = cephDriver(textAt(object, 'provisioner'));
      if (!driver || !drivers.includes(driver)) return;
      const parameters = recordAt(object, 'parameters');
      for (const place of placesNamed(parameters, undefined, lookup)) {
        for (const { provider, key } of locationsOf(driver, parameters, place, lookup)) {
          yield { to: refOf(provider), field: `parameters.${key}` };
        }
      }
    },
  };
}

const REMEDY = [
  'Nothing has to be done before a deletion: a StorageClass does not block.',
  'Claims that name the class will stay Pending once its provider is gone: delete the class, or point it elsewhere.',
];

export const blockStorageClass = storageClass(
  {
    code: 'RD020',
    title: 'A StorageClass for images in the pool',
    meaning: 'New RBD volumes of this class are made in the pool (parameters pool and dataPool).',
    remedy: REMEDY,
  },
  'provisions images in',
  ['rbd', 'nvmeof'],
  [Kinds.CephBlockPool, Kinds.CephBlockPoolRadosNamespace],
);

export const fileStorageClass = storageClass(
  {
    code: 'RD021',
    title: 'A StorageClass for subvolumes in the filesystem',
    meaning:
      'New CephFS or NFS volumes of this class are made in the filesystem (parameters fsName, pool, nfsCluster).',
    remedy: REMEDY,
  },
  'provisions volumes in',
  ['cephfs', 'nfs'],
  [Kinds.CephFilesystem, Kinds.CephFilesystemSubVolumeGroup, Kinds.CephNFS, Kinds.CephBlockPool],
);
