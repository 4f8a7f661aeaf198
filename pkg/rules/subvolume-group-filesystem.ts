import { Kinds } from '#pkg/object';
import { byName } from './by-name.ts';

export const subvolumeGroupFilesystem = byName({
  code: 'RD003',
  title: 'A subvolume group of the filesystem',
  relation: 'is a subvolume group of',
  reads: Kinds.CephFilesystemSubVolumeGroup,
  field: ['spec', 'filesystemName'],
  target: Kinds.CephFilesystem,
  meaning:
    'A CephFilesystemSubVolumeGroup is a directory tree of the filesystem. Its subvolumes go with the filesystem.',
  remedy: [
    'Ask what depends on the subvolume group, remove that, then delete the group.',
    'kubectl rook-deps why cephfilesystemsubvolumegroup/NAME -n NAMESPACE',
  ],
});
