import { fieldAt, textAt } from '#pkg/object';
import { requiredList, requiredNumber, requiredText, requiredTexts } from './answers.ts';

/** Answers about what users keep in Ceph: images, subvolumes, objects. */

/** `rbd ls -l`: the names of snapshots, each with its image: `image@snapshot`. */
export function parseSnapshots(answer: unknown): readonly string[] {
  return requiredList(answer).flatMap((row) => {
    const snapshot = textAt(row, 'snapshot');
    return snapshot ? [`${requiredText(row, 'image')}@${snapshot}`] : [];
  });
}

export interface TrashedImage {
  readonly id: string;
  readonly name: string;
}

/** `rbd trash ls`. */
export function parseTrash(answer: unknown): readonly TrashedImage[] {
  return requiredList(answer).map((row) => ({
    id: requiredText(row, 'id'),
    name: requiredText(row, 'name'),
  }));
}

/** Lists of `{"name": …}`: rados namespaces, subvolume groups, subvolumes. */
export function parseNames(answer: unknown): readonly string[] {
  return requiredList(answer).map((row) => requiredText(row, 'name'));
}

export interface FilesystemPools {
  readonly name: string;
  readonly dataPools: readonly string[];
}

/** `ceph fs ls`. */
export function parseFilesystems(answer: unknown): readonly FilesystemPools[] {
  return requiredList(answer).map((row) => ({
    name: requiredText(row, 'name'),
    dataPools: requiredTexts(row, 'data_pools'),
  }));
}

/** `ceph df`: how many objects each pool held some seconds ago. */
export function parseObjectCounts(answer: unknown): ReadonlyMap<string, number> {
  return new Map(
    requiredList(answer, 'pools').map((pool) => [
      requiredText(pool, 'name'),
      requiredNumber(pool, 'stats', 'objects'),
    ]),
  );
}

export interface RadosObject {
  readonly namespace: string;
  readonly name: string;
}

/** `rados ls --all`. */
export function parseObjects(answer: unknown): readonly RadosObject[] {
  return requiredList(answer).map((row) => ({
    namespace: requiredText(row, 'namespace'),
    name: requiredText(row, 'name'),
  }));
}

export interface AccessKey {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** `radosgw-admin user info`: the first pair of keys. */
export function parseAccessKey(answer: unknown): AccessKey {
  const [first] = requiredList(answer, 'keys');
  return { accessKey: requiredText(first, 'access_key'), secretKey: requiredText(first, 'secret_key') };
}

export interface ZoneGroup {
  readonly masterZone: string;
  readonly zones: readonly { readonly id: string; readonly name: string }[];
}

/** `radosgw-admin zonegroup get`. */
export function parseZoneGroup(answer: unknown): ZoneGroup {
  const zones = requiredList(answer, 'zones').map((zone) => ({
    id: requiredText(zone, 'id'),
    name: requiredText(zone, 'name'),
  }));
  const master = fieldAt(answer, 'master_zone');
  return { masterZone: zones.find(({ id }) => id === master)?.name ?? '', zones };
}
