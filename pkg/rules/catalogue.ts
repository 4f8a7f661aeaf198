import { bucketClass } from './bucket-class.ts';
import { bucketClaim, cosiBucketAccess, cosiBucketClaim } from './bucket-consumers.ts';
import { cephContents } from './ceph-contents.ts';
import { claimNotification } from './claim-notification.ts';
import { claimedWhole, composedResource } from './composition.ts';
import { clientCaps } from './client-caps.ts';
import { cosiBucket } from './cosi-bucket.ts';
import { criticalProvider, criticalServiceProvider } from './critical-service.ts';
import { csiConnection } from './csi-connection.ts';
import { drains } from './drains.ts';
import { filesystemMirror, poolMirror } from './mirrored-by.ts';
import { nfsPool } from './nfs-pool.ts';
import { notificationTopic } from './notification-topic.ts';
import { nvmeofPool } from './nvmeof-pool.ts';
import { objectAccountStore } from './object-account-store.ts';
import { objectBucket } from './object-bucket.ts';
import { objectUserAccount } from './object-user-account.ts';
import { objectUserStore } from './object-user-store.ts';
import { ownerReference, unawaitedOwned } from './owner-reference.ts';
import { persistentVolume } from './persistent-volume.ts';
import { radosNamespacePool } from './rados-namespace-pool.ts';
import { realmPool } from './realm-pool.ts';
import { rookCluster } from './rook-cluster.ts';
import type { CodePage, Rule } from './rule.ts';
import { sharedPools } from './shared-pools.ts';
import { snapshotContent } from './snapshot-content.ts';
import { blockStorageClass, fileStorageClass } from './storage-class.ts';
import { storeZone } from './store-zone.ts';
import { subvolumeGroupFilesystem } from './subvolume-group-filesystem.ts';
import { topicStore } from './topic-store.ts';
import { podClaim, volumeAttachment, volumeClaim, volumeClass, volumeSnapshot } from './volume-consumers.ts';
import { usage } from './usage.ts';
import { zoneGroupRealm } from './zone-group-realm.ts';
import { zonePeers } from './zone-peers.ts';
import { zoneZoneGroup } from './zone-zone-group.ts';

/** Every rule, in the order of their codes. */
export const RULES: readonly Rule[] = [
  rookCluster,
  radosNamespacePool,
  subvolumeGroupFilesystem,
  objectUserStore,
  objectAccountStore,
  objectUserAccount,
  topicStore,
  notificationTopic,
  claimNotification,
  storeZone,
  zoneZoneGroup,
  zoneGroupRealm,
  sharedPools,
  realmPool,
  nfsPool,
  nvmeofPool,
  clientCaps,
  poolMirror,
  filesystemMirror,
  blockStorageClass,
  fileStorageClass,
  bucketClass,
  persistentVolume,
  snapshotContent,
  objectBucket,
  cosiBucket,
  zonePeers,
  csiConnection,
  ownerReference,
  volumeClaim,
  podClaim,
  volumeAttachment,
  volumeSnapshot,
  bucketClaim,
  cosiBucketClaim,
  cosiBucketAccess,
  volumeClass,
  usage,
  criticalProvider,
  criticalServiceProvider,
  composedResource,
  claimedWhole,
  unawaitedOwned,
];

/** The codes of dependents that are deleted along with their provider. */
export const FOLLOWING_CODES: ReadonlySet<string> = new Set(
  RULES.filter(({ follows }) => follows).map(({ code }) => code),
);

/** The codes of dependents that hold their provider, unless somebody has lifted that. */
export const HOLDING_CODES: ReadonlySet<string> = new Set(
  RULES.filter(({ blocks }) => blocks).map(({ code }) => code),
);

/** The codes of dependents that the garbage collector takes along, or orphans if told to. */
export const OWNED_CODES: ReadonlySet<string> = new Set([ownerReference.code, unawaitedOwned.code]);

/** The codes of dependents that stay when their provider goes, though it counts them as parts. */
export const LEAVING_CODES: ReadonlySet<string> = new Set([composedResource.code]);

/** What `explain` knows: a page for each rule, for what Ceph alone can tell, and for what holds a drain. */
export const CODE_PAGES: readonly CodePage[] = [...RULES, ...cephContents, ...drains].sort((a, b) =>
  a.code < b.code ? -1 : 1,
);
