import {
  fieldAt,
  isTrueAt,
  Kinds,
  listAt,
  numberAt,
  textAt,
  type KubeObject,
  type Reader,
} from '#pkg/object';
import type { RgwScope } from './client.ts';
import { CephRefused } from './runner.ts';
import type { AccessKey } from './stored-things.ts';

/** What a CephObjectStore says about where its gateways and its data are. */

export function isExternal(store: KubeObject): boolean {
  return listAt(store, 'spec', 'gateway', 'externalRgwEndpoints').length > 0;
}

/** Where Rook itself would ask the gateway. */
export function endpointOf(store: KubeObject): string {
  const advertised = fieldAt(store, 'spec', 'hosting', 'advertiseEndpoint');
  const dnsName = textAt(advertised, 'dnsName');
  const advertisedPort = numberAt(advertised, 'port');
  if (dnsName && advertisedPort) return urlOf(dnsName, advertisedPort, isTrueAt(advertised, 'useTls'));
  const securePort = numberAt(store, 'spec', 'gateway', 'securePort') ?? 0;
  const port = securePort > 0 ? securePort : (numberAt(store, 'spec', 'gateway', 'port') ?? 80);
  return urlOf(hostOf(store), port, securePort > 0);
}

function hostOf(store: KubeObject): string {
  const [external] = listAt(store, 'spec', 'gateway', 'externalRgwEndpoints');
  const { name, namespace } = store.metadata;
  return (
    textAt(external, 'hostname') ??
    textAt(external, 'ip') ??
    `rook-ceph-rgw-${name}.${namespace ?? 'default'}.svc`
  );
}

function urlOf(host: string, port: number, secure: boolean): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `${secure ? 'https' : 'http'}://${name}:${port}`;
}

/** Realm, zone group and zone of a store: its own, unless it joins a zone. */
export async function scopeOf(
  store: KubeObject,
  reader: Pick<Reader, 'get'>,
  signal: AbortSignal,
): Promise<RgwScope> {
  const { name, namespace } = store.metadata;
  const zone = textAt(store, 'spec', 'zone', 'name');
  if (!zone) return { realm: name, zoneGroup: name, zone: name };
  const found = await reader.get(Kinds.CephObjectZone, namespace, zone, signal);
  if (!found) throw new CephRefused(`there is no CephObjectZone ${zone}`, 0);
  return scopeOfZone(found, reader, signal);
}

export async function scopeOfZone(
  zone: KubeObject,
  reader: Pick<Reader, 'get'>,
  signal: AbortSignal,
): Promise<RgwScope> {
  const { name, namespace } = zone.metadata;
  const zoneGroup = textAt(zone, 'spec', 'zoneGroup') ?? '';
  const found = await reader.get(Kinds.CephObjectZoneGroup, namespace, zoneGroup, signal);
  if (!found) throw new CephRefused(`there is no CephObjectZoneGroup ${zoneGroup}`, 0);
  return { realm: textAt(found, 'spec', 'realm'), zoneGroup, zone: name };
}

/** The user that Rook makes for itself in every store. */
export const ADMIN_OPS_USER = 'rgw-admin-ops-user';

/** Of an external store nobody can ask Ceph: its administrator left the keys in a Secret. */
export async function externalKey(
  store: KubeObject,
  reader: Pick<Reader, 'get'>,
  signal: AbortSignal,
): Promise<AccessKey> {
  const secret = await reader.get(Kinds.Secret, store.metadata.namespace, ADMIN_OPS_USER, signal);
  const read = (name: string): string =>
    Buffer.from(textAt(secret, 'data', name) ?? '', 'base64').toString('utf8');
  const key = { accessKey: read('accessKey'), secretKey: read('secretKey') };
  if (key.accessKey && key.secretKey) return key;
  throw new CephRefused(`there is no Secret ${ADMIN_OPS_USER} with accessKey and secretKey`, 0);
}

/** Whether the pools of a store or zone are its own, and named after it. */
export function ownsItsPools(storeOrZone: KubeObject): boolean {
  const shared = fieldAt(storeOrZone, 'spec', 'sharedPools');
  return !(
    listAt(shared, 'poolPlacements').length > 0 ||
    textAt(shared, 'metadataPoolName') !== undefined ||
    textAt(shared, 'dataPoolName') !== undefined
  );
}
