import { numberAt, textAt } from './fields.ts';
import type { KubeObject } from './object.ts';
import type { ObjectRef } from './reference.ts';

export interface WriteOptions {
  /** Whose fields they become; the server derives a name from the user agent if absent. */
  readonly fieldManager?: string | undefined;
  /** Everything is checked, admission included, and nothing is stored. */
  readonly dryRun?: boolean | undefined;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes over fields that others manage; without it they are a conflict. */
  readonly force?: boolean | undefined;
  readonly subresource?: string | undefined;
}

export type Change = WriteOptions & {
  readonly subresource?: string | undefined;
} & (
    | { readonly type: 'merge'; readonly body: Readonly<Record<string, unknown>> }
    | { readonly type: 'json'; readonly body: readonly JsonPatchStep[] }
  );

/** To guard against a changed object, `replace /metadata/resourceVersion`: it needs no `test`. */
export interface JsonPatchStep {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export interface DeleteOptions {
  /** Another UID under the same name is a conflict. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly dryRun?: boolean | undefined;
}

/** A question in the form of an object that is never stored: SubjectAccessReview, TokenReview and the like. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/**
 * Changes objects of a live cluster. Throws when a change is refused: see `isConflict`, `isAlreadyExists` and
 * `isForbidden`. Nothing is sent twice, unless the server was too busy to look at it.
 */
export interface Writer {
  create(object: KubeObject, options: WriteOptions, signal: AbortSignal): Promise<KubeObject>;
  /** Server-side apply: creates the object if there is none. */
  apply(object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<KubeObject>;
  /** Undefined when there is no such object, or no such type. */
  patch(target: ObjectRef, change: Change, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** `deleted`: accepted; finalizers may hold the object for some time. */
  delete(target: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<'deleted' | 'absent'>;
  /** The answer is in the status of what is returned. */
  createReview(review: Review, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

/** The object is not what the writer took it for, or admission refused with 409: look again and decide anew. */
export function isConflict(error: unknown): boolean {
  return numberAt(error, 'status') === 409 && !isAlreadyExists(error);
}

export function isAlreadyExists(error: unknown): boolean {
  return numberAt(error, 'status') === 409 && textAt(error, 'reason') === 'AlreadyExists';
}

export function isForbidden(error: unknown): boolean {
  return numberAt(error, 'status') === 403;
}
