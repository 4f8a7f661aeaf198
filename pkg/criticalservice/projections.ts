import type { KindSpec } from '#pkg/cache';
import { isTerminating, refOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { hasMark } from '#pkg/protection';
import { CRITICAL_LABEL } from './critical-service.ts';

/** What is kept of an object with finalizers: their names. Of 100,000 without any nothing is kept. */
export type Finalized = readonly string[];

export const FINALIZED: Omit<KindSpec<Finalized, 'finalizer'>, 'kind'> = {
  detail: 'metadata',
  project: ({ metadata }) => (metadata.finalizers?.length ? metadata.finalizers : undefined),
  indexes: { finalizer: (finalizers) => finalizers },
};

/** What matters of an object that a service names. */
export interface NamedState {
  readonly ref: ObjectRef;
  readonly uid: string | undefined;
  readonly isTerminating: boolean;
  readonly isMarked: boolean;
  /** Whoever holds it besides us may let it go. */
  readonly isInUse: boolean;
}

export const NAMED: Omit<KindSpec<NamedState>, 'kind'> = {
  detail: 'metadata',
  project: stateOf,
  indexes: {},
};

function stateOf(object: KubeObject): NamedState {
  return {
    ref: refOf(object),
    uid: object.metadata.uid,
    isTerminating: isTerminating(object),
    isMarked: hasMark(object, CRITICAL_LABEL),
    isInUse: hasMark(object, 'rook-deps.io/in-use'),
  };
}

export function differ(a: NamedState, b: NamedState): boolean {
  return (
    a.uid !== b.uid ||
    a.isTerminating !== b.isTerminating ||
    a.isMarked !== b.isMarked ||
    a.isInUse !== b.isInUse
  );
}
