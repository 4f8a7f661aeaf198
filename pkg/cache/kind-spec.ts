import type { Selection } from '#pkg/kube';
import type { KubeObject } from '#pkg/object';
import type { IndexFunctions } from './index-map.ts';

/** Which objects are followed, and what is kept of them. */
export interface KindSpec<T, Name extends string = never> extends Selection {
  /** Keeps only what is needed: it stays in memory. Undefined: the object is of no interest. */
  readonly project: (object: KubeObject) => T | undefined;
  readonly indexes: IndexFunctions<T, Name>;
}
