import {
  kindKey,
  parseObject,
  UserError,
  type Gap,
  type GroupKind,
  type KindKey,
  type KubeObject,
  type Listing,
  type ListRequest,
  type Reader,
  type ResourceType,
  type ResourceTypes,
} from '#pkg/object';
import { ApiError, isAnswer } from './api-error.ts';
import { isWholeType, whyDefined } from './definition-doubt.ts';
import { listObjects, type Keep } from './list-objects.ts';
import { objectPath } from './object-path.ts';
import type { Transport } from './transport.ts';
import { isNotServed, typesAskedOnce, type TypeSource } from './type-source.ts';

export interface KubeReaderOptions {
  /** Listed instead of all namespaces where the user may not see those. */
  readonly fallbackNamespace?: string | undefined;
  /** Where types come from, for those who live longer than a command; else the server is asked once. */
  readonly types?: TypeSource | undefined;
  /** Whether a kind that was never served is looked for among the definitions, too: only for those who may read them. */
  readonly asksDefinitions?: boolean | undefined;
  /** What is kept of listed objects, page by page: a list of thousands is never in memory as a whole. */
  readonly keep?: Keep | undefined;
}

/** A wish that no type fulfils, so that the answer is never old. */
const NO_KIND = { group: '', kind: '' };

/** Reads objects of a live cluster. Its types are asked for once, at first need, and when one is no longer served. */
export function kubeReader(transport: Transport, options: KubeReaderOptions = {}): Reader {
  const source = options.types ?? typesAskedOnce(transport);
  /** What was served once: when it is not, its objects may be there all the same. */
  const served = new Map<KindKey, ResourceType>();

  async function typesFor(kind: GroupKind, signal: AbortSignal): Promise<ResourceTypes> {
    const known = await source(kind, signal);
    const type = known.find(kind);
    if (type) served.set(kindKey(kind), type);
    return known;
  }

  /** Why a kind that the server does not name may have objects; undefined when it is not there for certain. */
  async function whyDoubted(
    types: ResourceTypes,
    kind: GroupKind,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const failure = types.failureOf(kind);
    const type =
      served.get(kindKey(kind)) ?? (options.asksDefinitions && isWholeType(kind) ? kind : undefined);
    if (failure || !type) return failure;
    const doubt = await whyDefined(transport, type, signal);
    if (!doubt) served.delete(kindKey(kind));
    return doubt;
  }

  /** Does it with the type as it is known, and where that is not served, once more with the type as it is now. */
  async function withType<R>(
    kind: GroupKind,
    act: (type: ResourceType) => Promise<R>,
    without: (doubt: string | undefined) => R,
    signal: AbortSignal,
  ): Promise<R> {
    const known = await typesFor(kind, signal);
    const type = known.find(kind);
    if (!type) return without(await whyDoubted(known, kind, signal));
    try {
      return await act(type);
    } catch (error) {
      if (!isNotServed(error)) throw error;
      source.distrust();
      const renewed = await typesFor(kind, signal);
      const now = renewed.find(kind);
      if (!now || renewed.failureOf(kind)) return without(await whyDoubted(renewed, kind, signal));
      if (now.version === type.version) throw error;
      return act(now);
    }
  }

  async function list(type: ResourceType, request: ListRequest, signal: AbortSignal): Promise<Listing> {
    try {
      return await listObjects(transport, type, request, options.keep, signal);
    } catch (error) {
      if (!isAnswer(error) || error.status !== 403) throw error;
      const { fallbackNamespace } = options;
      const gap = { what: type.kind, reason: `forbidden: ${error.serverMessage}` };
      if (!fallbackNamespace || !type.namespaced || request.namespace !== undefined) return unseen(gap);
      const inNamespace = await list(type, { ...request, namespace: fallbackNamespace }, signal);
      if (inNamespace.gaps.length > 0) return inNamespace;
      return { items: inNamespace.items, gaps: [{ ...gap, what: `${type.kind} in other namespaces` }] };
    }
  }

  return {
    types: (signal) => source(NO_KIND, signal),
    get: (kind, namespace, name, signal) =>
      withType(
        kind,
        (type) => getObject(transport, type, namespace, name, signal),
        (doubt) => {
          if (doubt) throw new UserError(`error: ${doubt}`);
          return undefined;
        },
        signal,
      ),
    async list(request, signal) {
      const { kind } = request;
      try {
        return await withType(
          kind,
          (type) => list(type, request, signal),
          // A kind that is not there is no gap.
          (doubt) => (doubt ? unseen({ what: kind.kind, reason: doubt }) : { items: [], gaps: [] }),
          signal,
        );
      } catch (error) {
        if (!isAnswer(error) || error.status === 401) throw error;
        return unseen({ what: kind.kind, reason: error.message });
      }
    },
  };
}

function unseen(gap: Gap): Listing {
  return { items: [], gaps: [gap] };
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
    // Unless it is the object that is missing, the kind is not served at present, which tells nothing about its objects.
    if (isAnswer(error) && error.status === 404 && !isNotServed(error)) return undefined;
    throw error;
  }
}
