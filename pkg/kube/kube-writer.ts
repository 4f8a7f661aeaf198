import { setTimeout as delay } from 'node:timers/promises';
import {
  groupOf,
  isRecord,
  parseObject,
  type DeleteOptions,
  type GroupKind,
  type KubeObject,
  type ResourceType,
  type WriteOptions,
  type Writer,
} from '#pkg/object';
import { ApiError, apiErrorOf } from './api-error.ts';
import { parseJson } from './json-answer.ts';
import { missingType } from './missing-type.ts';
import { objectPath } from './object-path.ts';
import type { ApiAnswer, ApiRequest, Query, Transport } from './transport.ts';
import { isNotServed, type TypeSource } from './type-source.ts';
import { busyDelayMs, conflictOf } from './write-refusal.ts';

export interface KubeWriterOptions {
  /** How waiting is done; replaced in tests. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

const PATCH_TYPES = { merge: 'application/merge-patch+json', json: 'application/json-patch+json' } as const;

/** Writes objects of a live cluster, in the version that `types` prefers unless the object names one. */
export function kubeWriter(transport: Transport, types: TypeSource, options: KubeWriterOptions = {}): Writer {
  const sleep = options.sleep ?? ((ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }));

  const typeOf = async (kind: GroupKind, signal: AbortSignal): Promise<ResourceType | undefined> =>
    (await types(kind, signal)).find(kind);

  async function typeOfObject(
    { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
    signal: AbortSignal,
  ): Promise<ResourceType> {
    const wanted = { group: groupOf(apiVersion), kind };
    const type = await typeOf(wanted, signal);
    if (!type) throw missingType(wanted);
    return { ...type, version: apiVersion.slice(apiVersion.indexOf('/') + 1) };
  }

  /** The place of a waiting request is free for others. */
  async function answerTo(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await transport.request(request, signal);
      const waitMs = busyDelayMs(answer, attempt);
      if (waitMs === undefined) return answer;
      await sleep(waitMs, signal);
    }
  }

  async function write(request: ApiRequest, signal: AbortSignal): Promise<unknown> {
    const answer = await answerTo(request, signal);
    if (answer.status >= 200 && answer.status <= 299) return parseJson(answer);
    const error = apiErrorOf(answer, request.method);
    if (isNotServed(error)) types.distrust();
    throw error;
  }

  return {
    async create(object, options, signal) {
      const path = pathOf(await typeOfObject(object, signal), object.metadata.namespace);
      const body = JSON.stringify(object);
      return stored(await write({ method: 'POST', path, query: queryOf(options), body }, signal));
    },

    async apply(object, options, signal) {
      const { namespace, name } = object.metadata;
      const type = await typeOfObject(object, signal);
      const request = {
        method: 'PATCH',
        path: pathOf(type, namespace, name) + subresourcePath(options.subresource),
        query: { ...queryOf(options), force: options.force },
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify(object),
      };
      return stored(await write(request, signal));
    },

    async patch(target, change, signal) {
      const type = await typeOf(target, signal);
      if (!type) return undefined;
      const request = {
        method: 'PATCH',
        path: pathOf(type, target.namespace, target.name) + subresourcePath(change.subresource),
        query: queryOf(change),
        contentType: PATCH_TYPES[change.type],
        body: JSON.stringify(change.body),
      };
      const object = await unlessAbsent(write(request, signal), (error) => conflictOf(error, change));
      return object === undefined ? undefined : stored(object);
    },

    async delete(target, options, signal) {
      const type = await typeOf(target, signal);
      if (!type) return 'absent';
      const path = pathOf(type, target.namespace, target.name);
      const request = { method: 'DELETE', path, body: JSON.stringify(deleteBody(options)) };
      const answer = await unlessAbsent(write(request, signal));
      return answer === undefined ? 'absent' : 'deleted';
    },

    async createReview(review, signal) {
      const path = pathOf(await typeOfObject(review, signal), review.metadata?.namespace);
      const answer = await write({ method: 'POST', path, body: JSON.stringify(review) }, signal);
      if (isRecord(answer)) return answer;
      throw unexpected('not an object');
    },
  };
}

/** Without its namespace an object would be looked for where it cannot be, and taken for absent. */
function pathOf(type: ResourceType, namespace: string | undefined, name?: string): string {
  if (type.namespaced && !namespace) throw new Error(`cannot write a ${type.kind} without its namespace`);
  return objectPath(type, namespace, name);
}

async function unlessAbsent(
  answer: Promise<unknown>,
  translate: (error: ApiError) => ApiError = (error) => error,
): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A kind that is not served at present tells nothing about its objects.
    if (error.status === 404 && !isNotServed(error)) return undefined;
    throw translate(error);
  }
}

function queryOf({ fieldManager, dryRun }: WriteOptions): Query {
  return { fieldManager, dryRun: dryRun ? 'All' : undefined };
}

function subresourcePath(subresource: string | undefined): string {
  return subresource === undefined ? '' : `/${encodeURIComponent(subresource)}`;
}

function deleteBody({ uid, resourceVersion, propagationPolicy, dryRun }: DeleteOptions): unknown {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy,
    ...((uid ?? resourceVersion) !== undefined && { preconditions: { uid, resourceVersion } }),
    ...(dryRun && { dryRun: ['All'] }),
  };
}

function stored(answer: unknown): KubeObject {
  const object = parseObject(answer);
  if (typeof object === 'string') throw unexpected(object);
  return object;
}

function unexpected(what: string): ApiError {
  return new ApiError(`Server returned an unexpected response: ${what}`, { status: 200, reason: '' });
}
