import {
  parseObject,
  UserError,
  type Gap,
  type GroupKind,
  type KubeObject,
  type Listing,
  type ListRequest,
  type Reader,
  type ResourceType,
  type ResourceTypes,
} from '#pkg/object';
import { ApiError } from './api-error.ts';
import { discover } from './discovery.ts';
import { listObjects, type Keep } from './list-objects.ts';
import { objectPath } from './object-path.ts';
import type { Transport } from './transport.ts';
import type { TypeSource } from './type-source.ts';

export interface KubeReaderOptions {
  /** Listed instead of all namespaces where the user may not see those. */
  readonly fallbackNamespace?: string | undefined;
  /** Where types come from, for those who live longer than a command; else the server is asked once. */
  readonly types?: TypeSource | undefined;
  /** What is kept of listed objects, page by page: a list of thousands is never in memory as a whole. */
  readonly keep?: Keep | undefined;
}

/** Reads objects of a live cluster. Its types are asked for once, at first need. */
export function kubeReader(transport: Transport, options: KubeReaderOptions = {}): Reader {
  let discovered: Promise<ResourceTypes> | undefined;
  function types(signal: AbortSignal): Promise<ResourceTypes> {
    discovered ??= discover(transport, signal).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  }

  const typesFor = (kind: GroupKind, signal: AbortSignal): Promise<ResourceTypes> =>
    options.types ? options.types(kind, signal) : types(signal);

  async function list(type: ResourceType, request: ListRequest, signal: AbortSignal): Promise<Listing> {
    try {
      return await listObjects(transport, type, request, options.keep, signal);
    } catch (error) {
      if (!isAnswer(error) || error.status === 401) throw error;
      if (error.status === 404) return absent(await typesFor(type, signal), type);
      const { fallbackNamespace } = options;
      if (error.status !== 403) return unseen({ what: type.kind, reason: error.message });
      const gap = { what: type.kind, reason: `forbidden: ${error.serverMessage}` };
      if (!fallbackNamespace || !type.namespaced || request.namespace !== undefined) return unseen(gap);
      const inNamespace = await list(type, { ...request, namespace: fallbackNamespace }, signal);
      if (inNamespace.gaps.length > 0) return inNamespace;
      return { items: inNamespace.items, gaps: [{ ...gap, what: `${type.kind} in other namespaces` }] };
    }
  }

  return {
    types,
    async get(kind, namespace, name, signal) {
      const known = await typesFor(kind, signal);
      const type = known.find(kind);
      const object = type && (await getObject(transport, type, namespace, name, signal));
      const failure = known.failureOf(kind);
      if (!object && failure) throw new UserError(`error: ${failure}`);
      return object;
    },
    async list(request, signal) {
      const known = await typesFor(request.kind, signal);
      const type = known.find(request.kind);
      return type ? list(type, request, signal) : absent(known, request.kind);
    },
  };
}

/** A kind that is not there is no gap, unless its group could not be looked at. */
function absent(types: ResourceTypes, kind: GroupKind): Listing {
  const reason = types.failureOf(kind);
  return reason ? unseen({ what: kind.kind, reason }) : { items: [], gaps: [] };
}

function unseen(gap: Gap): Listing {
  return { items: [], gaps: [gap] };
}

/** An error that came over a working connection, and so concerns one request only. */
function isAnswer(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.isUnreachable;
}

async function getObject(
  transport: Transport,
  type: ResourceType,
  namespace: string | undefined,
  name: string,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    const object = parseObject(await transport.getJson(objectPath(type, namespace, name), {}, signal));
    if (typeof object !== 'string') return object;
    throw new ApiError(`Server returned an unexpected response: ${object}`, { status: 200, reason: '' });
  } catch (error) {
    // Without a Status the kind is not served at present, which tells nothing about its objects.
    if (isAnswer(error) && error.status === 404 && error.isStatus) return undefined;
    throw error;
  }
}
