import { FORCE_DELETE_ANNOTATION } from '#pkg/admission';
import { isRookKind, refOf, textAt, type KubeObject, type ObjectKey, type ObjectRef } from '#pkg/object';
import { essentialsOf } from '#pkg/rules';

/** What is kept of an object. */
export interface Kept {
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly resourceVersion: string;
  /** No more than rules read; absent when they read nothing. */
  readonly object?: KubeObject;
  readonly finalizers: readonly string[];
  /** Somebody means to delete it in spite of all. */
  readonly isForced: boolean;
}

/** All that is kept of a kind. */
export interface AllKept {
  readonly size: number;
  get(key: ObjectKey): Kept | undefined;
  values(): Iterable<Kept>;
}

export function keptOf(whole: KubeObject): Kept {
  const object = essentialsOf(whole);
  const ref = refOf(whole);
  const { uid = '', resourceVersion = '', finalizers = [] } = whole.metadata;
  return {
    ref,
    uid,
    resourceVersion,
    ...(object ? { object } : {}),
    finalizers: isRookKind(ref) ? finalizers : [],
    isForced: isForced(whole),
  };
}

/** Whoever may annotate an object may take off its finalizers, too: believing the annotation gives no power. */
export function isForced({ metadata }: KubeObject): boolean {
  return textAt(metadata.annotations, FORCE_DELETE_ANNOTATION) !== undefined;
}
