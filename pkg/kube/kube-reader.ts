import {
  parseObject,
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
import { listObjects } from './list-objects.ts';
import { objectPath } from './object-path.ts';
import type { Transport } from './transport.ts';
import type { TypeSource } from './type-source.ts';

export interface KubeReaderOptions {
  /** Listed instead of all namespaces where the user may not see those. */
  readonly fallbackNamespace?: string | undefined;
  /** Where types come from, for those who live longer than a command; else the server is asked once. */
  readonly types?: TypeSource | undefined;
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

  const typeOf = async (kind: GroupKind, signal: AbortSignal): Promise<ResourceType | undefined> =>
    (await (options.types ? options.types(kind, signal) : types(signal))).find(kind);

  async function list(type: ResourceType, request: ListRequest, signal: AbortSignal): Promise<Listing> {
    try {
      return await listObjects(transport, type, request, signal);
    } catch (error) {
      if (!isAnswer(error) || error.status === 401) throw error;
      if (error.status === 404) return NOTHING;
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
      const type = await typeOf(kind, signal);
      return type && getObject(transport, type, namespace, name, signal);
    },
    async list(request, signal) {
      const type = await typeOf(request.kind, signal);
      return type ? list(type, request, signal) : NOTHING;
    },
  };
}

const NOTHING: Listing = { items: [], gaps: [] };

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
    if (isAnswer(error) && error.status === 404) return undefined;
    throw error;
  }
}
