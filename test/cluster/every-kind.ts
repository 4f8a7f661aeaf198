import { ROOK_KINDS } from '#pkg/object';
import { served } from '../fixtures/served-objects.ts';

/** What the kinds that refer to others want to be told. */
const REFERENCES: Readonly<Record<string, object>> = {
  CephBlockPoolRadosNamespace: { blockPoolName: 'cephblockpool' },
  CephFilesystemSubVolumeGroup: { filesystemName: 'cephfilesystem' },
  CephObjectStoreUser: { store: 'cephobjectstore' },
  CephObjectStoreAccount: { store: 'cephobjectstore' },
  CephObjectZoneGroup: { realm: 'cephobjectrealm' },
  CephObjectZone: { zoneGroup: 'cephobjectzonegroup' },
  CephBucketTopic: { objectStoreName: 'cephobjectstore', objectStoreNamespace: 'elsewhere' },
  CephBucketNotification: { topic: 'cephbuckettopic' },
};

/** One object of each of Rook's 19 kinds, each with the name of its kind. */
export function everyRookKind(namespace: string): readonly object[] {
  return ROOK_KINDS.map((kind) => served(kind, kind.singular, namespace, REFERENCES[kind.kind]));
}
