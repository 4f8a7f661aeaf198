import {
  keyOf,
  listAt,
  recordAt,
  textAt,
  type GroupKind,
  type ObjectKey,
  type ResourceType,
} from '#pkg/object';
import { ApiError } from './api-error.ts';
import { decodeCensus, type Counted } from './census-decoder.ts';
import { isWholeType, whyDefined } from './definition-doubt.ts';
import { notServedNow } from './missing-type.ts';
import { objectPath } from './object-path.ts';
import type { Transport } from './transport.ts';
import type { TypeSource } from './type-source.ts';

/** Which very state of an object. */
export interface Version {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** All objects of a kind by their versions, at one moment. */
export interface Census {
  readonly versions: ReadonlyMap<ObjectKey, Version>;
  /** Of the moment. */
  readonly resourceVersion: string;
}

export interface CensusRequest {
  readonly kind: GroupKind;
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  /** About how many there are. */
  readonly expected: number;
}

/** Never older than the question. Throws when it cannot be had; a kind that is not defined has no objects. */
export type CensusTaker = (request: CensusRequest, signal: AbortSignal) => Promise<Census>;

/** Fewer come as JSON, over a connection that is there. */
const MANY = 200;
const JSON_ACCEPT = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const ACCEPT = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const IDLE_MS = 10_000;

/** Of many objects it costs a fraction of a list: nothing but names and versions is parsed. */
export function kubeCensus(transport: Transport, types: TypeSource): CensusTaker {
  return async ({ kind, namespace, expected }, signal) => {
    const known = await types(kind, signal);
    const type = known.find(kind);
    const failure = known.failureOf(kind);
    if (failure) throw new Error(failure);
    const doubt = !type && isWholeType(kind) ? await whyDefined(transport, kind, signal) : undefined;
    if (doubt) throw notServedNow(doubt);
    if (!type) return { versions: new Map(), resourceVersion: '' };
    const take = expected > MANY ? takeMany : takeFew;
    const { items, resourceVersion } = await take(transport, type, namespace, signal);
    const versions = items.map(({ name, namespace: where, ...version }): [ObjectKey, Version] => [
      keyOf({ group: type.group, kind: type.kind, name, ...(where ? { namespace: where } : {}) }),
      version,
    ]);
    return { versions: new Map(versions), resourceVersion };
  };
}

async function takeFew(
  transport: Transport,
  type: ResourceType,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Counted> {
  const list = await transport.getJson(objectPath(type, namespace), { accept: JSON_ACCEPT }, signal);
  const resourceVersion = textAt(list, 'metadata', 'resourceVersion');
  if (!resourceVersion) throw unexpected('a list without resourceVersion', 200);
  const items = listAt(list, 'items').map((item) => {
    const metadata = recordAt(item, 'metadata');
    const [name, uid, version] = ['name', 'uid', 'resourceVersion'].map((field) => textAt(metadata, field));
    if (!name || !uid || !version) throw unexpected('an object without name or version', 200);
    return { name, namespace: textAt(metadata, 'namespace') ?? '', uid, resourceVersion: version };
  });
  return { items, resourceVersion };
}

async function takeMany(
  transport: Transport,
  type: ResourceType,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Counted> {
  return decodeCensus(await fetched(transport, type, namespace, signal));
}

async function fetched(
  transport: Transport,
  type: ResourceType,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Buffer> {
  const request = { method: 'GET', path: objectPath(type, namespace), accept: ACCEPT };
  const stream = await transport.stream(request, signal);
  const pieces: Buffer[] = [];
  for await (const piece of stream.pieces(IDLE_MS)) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  if (bytes.toString('latin1', 0, 4) === 'k8s\0') return bytes.subarray(4);
  throw unexpected('not protobuf', stream.status);
}

function unexpected(what: string, status: number): ApiError {
  return new ApiError(`Server returned an unexpected response: ${what}`, { status, reason: '' });
}
