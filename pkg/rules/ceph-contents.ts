import type { CodePage } from './rule.ts';

/** What only Ceph itself can tell; no resource mentions it. */
export const cephContents: CodePage = {
  code: 'RD027',
  title: 'Data inside Ceph',
  meaning:
    'Images, snapshots, subvolumes, buckets and plain objects may exist in Ceph without any Kubernetes resource: made ' +
    'by hand, by another cluster, or left by a volume with reclaim policy Retain. Only Ceph can be asked for them.',
  remedy: [
    'List them with the tools of Ceph: rbd ls, ceph fs subvolume ls, radosgw-admin bucket list.',
    '--no-ceph leaves Ceph out of the answer, and the answer then says nothing about such data.',
  ],
};
