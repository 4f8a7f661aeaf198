import { listAt, numberAt, parseObject, textAt, type KubeObject, type ResourceType } from '#pkg/object';
import { ApiError } from './api-error.ts';
import { isWholeType, whyDefined } from './definition-doubt.ts';
import { jsonLines } from './json-lines.ts';
import { completed, pageFetcher } from './list-objects.ts';
import { objectPath } from './object-path.ts';
import type { Transport } from './transport.ts';
import { missingType, notServedNow } from './missing-type.ts';
import { isNotServed, type TypeSource } from './type-source.ts';
import { watchEventOf } from './watch-event.ts';
import type { ObjectPage, Selection, Watcher, WatchEvent, WatchRequest } from './watcher.ts';

export interface KubeWatcherOptions {
  /** A watch without a byte for so long is broken. Servers send a bookmark every minute. */
  readonly idleMs?: number | undefined;
}

const DEFAULT_IDLE_MS = 90_000;
/** For one page of a list: a connection may be dead without telling. */
const PAGE_TIMEOUT_MS = 60_000;

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/** Follows objects of a live cluster, each watch on a connection of its own. */
export function kubeWatcher(
  transport: Transport,
  types: TypeSource,
  { idleMs = DEFAULT_IDLE_MS }: KubeWatcherOptions = {},
): Watcher {
  async function typeOf({ kind }: Selection, signal: AbortSignal): Promise<ResourceType> {
    const type = (await types(kind, signal)).find(kind);
    if (type) return type;
    const doubt = isWholeType(kind) ? await whyDefined(transport, kind, signal) : undefined;
    throw doubt ? notServedNow(doubt) : missingType(kind);
  }

  /** What is asked for under a version that is no longer served is asked for under another the next time. */
  async function heeded<R>(answer: Promise<R>): Promise<R> {
    try {
      return await answer;
    } catch (error) {
      if (isNotServed(error)) types.distrust();
      throw error;
    }
  }

  return {
    async *watch(request: WatchRequest, signal: AbortSignal): AsyncIterable<WatchEvent> {
      const type = await typeOf(request, signal);
      const asked = {
        method: 'GET',
        path: objectPath(type, request.namespace),
        accept: request.detail === 'metadata' ? METADATA_ONLY : undefined,
        query: queryOf(request),
      };
      const stream = await heeded(transport.stream(asked, signal));
      try {
        yield { kind: 'opened' };
        for await (const line of jsonLines(stream.pieces(idleMs))) yield watchEventOf(line, type);
      } finally {
        stream.close();
      }
    },

    async *pages(selection: Selection, limit: number | undefined, signal: AbortSignal) {
      const type = await typeOf(selection, signal);
      let token: string | undefined;
      do {
        const page = await within(PAGE_TIMEOUT_MS, signal, (limited) =>
          heeded(pageFetcher(transport, type, selection, limited)(limit, token)),
        );
        yield pageOf(page, type);
        token = textAt(page, 'metadata', 'continue');
      } while (token !== undefined);
    },
  };
}

function queryOf(request: WatchRequest): Record<string, string | number | boolean | undefined> {
  const { labelSelector, fieldSelector, resourceVersion, sendInitialEvents, timeoutSeconds } = request;
  return {
    watch: true,
    allowWatchBookmarks: true,
    labelSelector,
    fieldSelector,
    resourceVersion,
    timeoutSeconds,
    ...(sendInitialEvents && { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }),
  };
}

async function within<R>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const deadline = AbortSignal.timeout(ms);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted) throw error;
    throw ApiError.unreachable(`error: the server did not answer within ${ms / 1000} s`, error);
  }
}

function pageOf(page: Record<string, unknown>, type: ResourceType): ObjectPage {
  const items: KubeObject[] = [];
  for (const item of listAt(page, 'items')) {
    const object = parseObject(completed(item, type));
    if (typeof object === 'string') throw malformed(object);
    items.push(object);
  }
  const resourceVersion = textAt(page, 'metadata', 'resourceVersion');
  if (!resourceVersion) throw malformed('a list without resourceVersion');
  const remaining = numberAt(page, 'metadata', 'remainingItemCount');
  return { items, resourceVersion, ...(remaining === undefined ? {} : { remaining }) };
}

function malformed(what: string): ApiError {
  return new ApiError(`Server returned an unexpected response: ${what}`, { status: 200, reason: '' });
}
