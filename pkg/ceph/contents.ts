import type { Gap, KubeObject } from '#pkg/object';

/** One thing inside Ceph. */
export interface Content {
  /** What it is: `RBDImage`, `Subvolume`, `Bucket`. */
  readonly kind: string;
  readonly name: string;
}

export interface Contents {
  readonly items: readonly Content[];
  readonly gaps: readonly Gap[];
  /** For the reader of the answer. */
  readonly notes?: readonly string[];
}

/** Tells what Ceph holds inside a resource. Never throws for Ceph's sake: what it did not answer is a gap. */
export interface CephContents {
  contentsOf(resource: KubeObject, signal: AbortSignal): Promise<Contents>;
}
