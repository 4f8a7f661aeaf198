import { fieldAt, textAt, type KubeObject, type Reader } from '#pkg/object';
import type { AdminOps } from './admin-ops.ts';
import { answered, gapFor } from './answered.ts';
import type { Ceph, RgwScope } from './client.ts';
import { joined, NOTHING, type Content, type Contents } from './contents.ts';
import {
  ADMIN_OPS_USER,
  endpointOf,
  externalKey,
  isExternal,
  ownsItsPools,
  scopeOf,
  scopeOfZone,
} from './object-store.ts';
import { questionsAbout } from './questions.ts';
import { isCephFailure } from './runner.ts';

export interface BucketPorts {
  readonly ceph: Ceph;
  readonly reader: Pick<Reader, 'get'>;
  readonly adminOps: AdminOps;
  /** Whether names of Services mean something here; elsewhere they may mean anybody. */
  readonly isInCluster: boolean;
}

/** The buckets of a store; of one in a zone also the zones that need it. */
export async function storeContents(
  store: KubeObject,
  ports: BucketPorts,
  signal: AbortSignal,
): Promise<Contents> {
  const { name } = store.metadata;
  const what = `buckets in object store ${name}`;
  if (isExternal(store))
    return answered(what, async () => named(await externalBuckets(store, ports, signal)));
  try {
    const scope = await scopeOf(store, ports.reader, signal);
    if (await hasNoPools(store, scope, ports.ceph, signal)) return NOTHING;
    const zone = textAt(store, 'spec', 'zone', 'name');
    const ask = (): Promise<Contents> =>
      answered(what, async () => named(await internalBuckets(store, scope, ports, signal)));
    return zone ? await inZone(zone, scope, ports.ceph, ask, signal) : await ask();
  } catch (error) {
    return gapFor(questionsAbout(store), error);
  }
}

/** The buckets whose pools go with a zone. */
export async function zoneContents(
  zone: KubeObject,
  ports: BucketPorts,
  signal: AbortSignal,
): Promise<Contents> {
  const { name } = zone.metadata;
  if (fieldAt(zone, 'spec', 'preservePoolsOnDelete') !== false) {
    return { ...NOTHING, notes: [`its pools, and the buckets in them, stay: preservePoolsOnDelete is set`] };
  }
  return answered(`buckets in zone ${name}`, async () => {
    const scope = await scopeOfZone(zone, ports.reader, signal);
    if (await hasNoPools(zone, scope, ports.ceph, signal)) return [];
    return named(await ports.ceph.buckets(scope, signal));
  });
}

/** A zone that follows a master holds copies; the master is needed by those that follow it. */
async function inZone(
  zone: string,
  scope: RgwScope,
  ceph: Ceph,
  buckets: () => Promise<Contents>,
  signal: AbortSignal,
): Promise<Contents> {
  const { masterZone, zones } = await ceph.zoneGroup(scope, signal);
  if (masterZone !== zone) {
    const master = masterZone || 'elsewhere';
    return { ...NOTHING, notes: [`its buckets are copies: the master of zone ${zone} is ${master}`] };
  }
  const peers = zones.filter(({ name }) => name !== zone);
  return joined([
    { items: peers.map(({ name }) => ({ kind: 'PeerZone', name })), gaps: [] },
    await buckets(),
  ]);
}

function named(buckets: readonly string[]): readonly Content[] {
  return buckets.map((name) => ({ kind: 'Bucket', name }));
}

async function externalBuckets(
  store: KubeObject,
  { adminOps, reader }: BucketPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return adminOps.buckets(endpointOf(store), await externalKey(store, reader, signal), signal);
}

/** The gateway is asked first; where it is down or out of reach, its data are still there to be read. */
async function internalBuckets(
  store: KubeObject,
  scope: RgwScope,
  { ceph, adminOps, isInCluster }: BucketPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const endpoint = endpointOf(store);
  if (!isInCluster && new URL(endpoint).hostname.endsWith('.svc')) return ceph.buckets(scope, signal);
  try {
    const key = await ceph.gatewayUser(ADMIN_OPS_USER, scope, signal);
    return await adminOps.buckets(endpoint, key, signal);
  } catch (error) {
    if (!isCephFailure(error)) throw error;
    return ceph.buckets(scope, signal);
  }
}

/** A store whose pools were never made, or are gone, holds nothing. Shared pools do not tell. */
async function hasNoPools(
  storeOrZone: KubeObject,
  { zone = '' }: RgwScope,
  ceph: Ceph,
  signal: AbortSignal,
): Promise<boolean> {
  if (!ownsItsPools(storeOrZone)) return false;
  const { pools } = await ceph.osdMap(signal);
  return !pools.some(({ name }) => name.startsWith(`${zone}.rgw.`));
}
