import {
  isRecord,
  listAt,
  parseObject,
  textAt,
  type Gap,
  type KubeObject,
  type Listing,
  type ListRequest,
  type ResourceType,
} from '#pkg/object';
import { ApiError } from './api-error.ts';
import { objectPath } from './object-path.ts';
import type { Transport } from './transport.ts';

/** Objects per page. Small pages are slow; without any, memory grows with the cluster. */
const PAGE_SIZE = 20_000;

const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** What is kept of an object; undefined: nothing. `pageSize`: how many are in memory as a whole. */
export interface Keep {
  readonly pageSize: number;
  of(object: KubeObject): KubeObject | undefined;
}

const ALL: Keep = { pageSize: PAGE_SIZE, of: (object) => object };

/** All objects of a type that match, without their managed fields. */
export async function listObjects(
  transport: Transport,
  type: ResourceType,
  request: ListRequest,
  keep: Keep | undefined,
  signal: AbortSignal,
): Promise<Listing> {
  const fetchPage = pageFetcher(transport, type, request, signal);
  const kept = keep ?? ALL;
  try {
    return await allPages(fetchPage, type, kept, kept.pageSize);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 410) throw error;
    // The rest of the list is forgotten meanwhile: once more, and all at once so that it cannot happen again.
    return allPages(fetchPage, type, kept, undefined);
  }
}

export type FetchPage = (
  limit: number | undefined,
  token: string | undefined,
) => Promise<Record<string, unknown>>;

/** Fetches one page, items as they came. Throws an ApiError for an answer that is no list. */
export function pageFetcher(
  transport: Transport,
  type: ResourceType,
  request: ListRequest,
  signal: AbortSignal,
): FetchPage {
  const path = objectPath(type, request.namespace);
  const accept = request.detail === 'metadata' ? METADATA_ONLY : undefined;
  return async (limit, token) => {
    const { labelSelector, fieldSelector } = request;
    const query = { labelSelector, fieldSelector, limit, continue: token };
    const page = await transport.getJson(path, { accept, query }, signal);
    const kind = textAt(page, 'kind') ?? 'no kind';
    // An empty list of metadata comes as null.
    const isList =
      isRecord(page) && (Array.isArray(page['items']) || (page['items'] === null && kind.endsWith('List')));
    if (isList) return page;
    throw new ApiError(`Server returned an unexpected response: not a list (${kind})`, {
      status: 200,
      reason: '',
    });
  };
}

async function allPages(
  fetchPage: FetchPage,
  type: ResourceType,
  keep: Keep,
  limit: number | undefined,
): Promise<Listing> {
  const items: KubeObject[] = [];
  const gaps: Gap[] = [];
  let token: string | undefined;
  do {
    const page = await fetchPage(limit, token);
    for (const item of listAt(page, 'items')) {
      const object = parseObject(completed(item, type));
      if (typeof object !== 'string') {
        const kept = keep.of(object);
        if (kept) items.push(kept);
      } else gaps.push({ what: type.kind, reason: `the server listed something malformed: ${object}` });
    }
    token = textAt(page, 'metadata', 'continue');
  } while (token !== undefined);
  return { items, gaps };
}

/** Items of lists carry no type, or that of a stand-in. Changed in place: nobody else holds them. */
export function completed(item: unknown, { group, version, kind }: ResourceType): unknown {
  if (!isRecord(item)) return item;
  item['apiVersion'] = group === '' ? version : `${group}/${version}`;
  item['kind'] = kind;
  if (isRecord(item['metadata'])) delete item['metadata']['managedFields'];
  return item;
}
