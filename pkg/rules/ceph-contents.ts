import type { CodePage } from './rule.ts';

/** What only Ceph itself can tell; no resource mentions it. */
const unasked: CodePage = {
  code: 'RD027',
  title: 'Data inside Ceph',
  meaning:
    'Images, snapshots, subvolumes, buckets and plain objects may exist in Ceph without any Kubernetes resource: made ' +
    'by hand, by another cluster, or left by a volume with reclaim policy Retain. Only Ceph can be asked for them, and ' +
    'it did not answer, or was not asked. An answer that did not come says nothing about what is there.',
  remedy: [
    'Ceph is asked in the pod of the Rook operator, or in the toolbox: one of them must be ready, and you need the ' +
      'rights get and create on pods/exec there.',
    'An operator in another namespace must be seen to belong to the cluster: its account may update the CephCluster, or ' +
      'the daemons of the cluster name its namespace in their label rook.io/operator-namespace. Else start the toolbox ' +
      'beside the cluster.',
    '--ceph-conf FILE asks with the ceph program of your own machine.',
    '--no-ceph leaves Ceph out of the answer, and the answer then says nothing about such data.',
    'The webhook refuses without an answer: kubectl rook-deps install --ceph=prefer lets it do without.',
  ],
};

/** A kind of thing that Ceph holds, and how reports speak of it. */
interface ContentPage extends CodePage {
  readonly kind: string;
  readonly relation: string;
}

const CONTENTS: readonly ContentPage[] = [
  {
    code: 'RD050',
    kind: 'RBDImage',
    relation: 'is an image in',
    title: 'RBD image',
    meaning: 'The pool or rados namespace holds this image. Deleting the resource would destroy it.',
    remedy: [
      'If a PersistentVolume owns it, delete the claim, and the volume where its reclaim policy is Retain.',
      'Otherwise nobody in Kubernetes knows it: look at it with rbd info and rbd status, then remove it with rbd rm.',
    ],
  },
  {
    code: 'RD051',
    kind: 'RBDSnapshot',
    relation: 'is a snapshot in',
    title: 'RBD snapshot',
    meaning:
      'An image of the pool or rados namespace has this snapshot. Deleting the resource would destroy both.',
    remedy: [
      'If a VolumeSnapshot made it, delete that.',
      'Otherwise remove it with rbd snap rm; rbd snap unprotect and rbd flatten come first where clones need it.',
    ],
  },
  {
    code: 'RD052',
    kind: 'RBDTrash',
    relation: 'lies in the trash of',
    title: 'RBD image in the trash',
    meaning:
      'The image was moved to the trash and can still be restored. Ceph does not remove a rados namespace, and Rook ' +
      'does not look there before it deletes a pool.',
    remedy: [
      'Restore it with rbd trash restore, or give it up with rbd trash rm; rbd trash ls --all shows the identifiers.',
      'The CSI driver removes volumes by way of the trash: what was deleted a moment ago may be gone the next.',
    ],
  },
  {
    code: 'RD053',
    kind: 'Subvolume',
    relation: 'is a subvolume of',
    title: 'CephFS subvolume',
    meaning:
      'The filesystem or subvolume group holds this subvolume. Deleting the resource would destroy it.',
    remedy: [
      'If a PersistentVolume owns it, delete the claim, and the volume where its reclaim policy is Retain.',
      'Otherwise remove it with ceph fs subvolume rm; snapshots that it keeps go first.',
    ],
  },
  {
    code: 'RD054',
    kind: 'Bucket',
    relation: 'is a bucket of',
    title: 'Bucket',
    meaning: 'The object store holds this bucket. Deleting the resource would destroy it and its objects.',
    remedy: [
      'If an ObjectBucketClaim or a COSI BucketClaim owns it, delete that.',
      'Otherwise ask its owner (radosgw-admin bucket stats --bucket NAME), then radosgw-admin bucket rm.',
    ],
  },
  {
    code: 'RD055',
    kind: 'RADOSObjects',
    relation: 'are stored in',
    title: 'Objects that nothing accounts for',
    meaning:
      'The pool holds objects, though neither an image nor a subvolume is known there: the data of images whose names ' +
      'are in another pool (erasure coding), of an object store that shares the pool, files outside of subvolumes, ' +
      'files that are still being removed, or the data of a program that uses librados.',
    remedy: [
      'Look at some names with rados -p POOL ls --all | head: they tell who made them.',
      'Counts are some seconds old: what was removed just now may still be counted.',
    ],
  },
  {
    code: 'RD056',
    kind: 'PeerZone',
    relation: 'follows the zone of',
    title: 'Zone that follows this one',
    meaning:
      'The store is the master zone of its zone group, and this zone, perhaps of another cluster, follows it.',
    remedy: [
      'Make another zone the master (radosgw-admin zone modify --master, then period update --commit), or remove the peer.',
    ],
  },
];

/** A page for each kind of thing in Ceph, and for what it did not tell. */
export const cephContents: readonly CodePage[] = [unasked, ...CONTENTS];

/** How to speak of a thing that Ceph holds. */
export function contentWords(kind: string): { readonly code: string; readonly relation: string } {
  const page = CONTENTS.find((content) => content.kind === kind);
  return { code: page?.code ?? unasked.code, relation: page?.relation ?? 'is stored in' };
}
