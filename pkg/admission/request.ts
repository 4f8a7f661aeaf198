import type { KubeObject, ObjectRef } from '#pkg/object';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Who sent the request that is under review, as a SubjectAccessReview wants it. */
export interface Requester {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export type PropagationPolicy = 'Foreground' | 'Background' | 'Orphan';

/** The part of DeleteOptions that a decision may depend on. Empty for other operations. */
export interface RequestOptions {
  readonly propagationPolicy?: PropagationPolicy;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** One request under review. Its parts have been checked; objects are checked as far as their metadata. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: Operation;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  /** Absent when a collection is deleted: see `targetOf`. */
  readonly name?: string;
  /** For a Namespace this is its own name: see `targetOf`. */
  readonly namespace?: string;
  readonly userInfo: Requester;
  readonly dryRun: boolean;
  readonly options: RequestOptions;
  readonly object?: KubeObject;
  readonly oldObject?: KubeObject;
}

/** What the request is about. The objects know better than the request, which may lack the name. */
export function targetOf(request: AdmissionRequest): ObjectRef {
  const { group, kind } = request.kind;
  const seen = request.oldObject ?? request.object;
  const { namespace, name } = seen?.metadata ?? request;
  return { group, kind, namespace, name: name ?? '' };
}
