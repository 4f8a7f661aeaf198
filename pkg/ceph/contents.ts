import type { Gap, KubeObject } from '#pkg/object';

/** What Ceph holds, in the words of reports. */
export type ContentKind =
  'RBDImage' | 'RBDSnapshot' | 'RBDTrash' | 'Subvolume' | 'Bucket' | 'RADOSObjects' | 'PeerZone';

/** One thing inside Ceph. */
export interface Content {
  readonly kind: ContentKind;
  /** As the tools of Ceph name it below the resource: `namespace/image@snapshot`, `group/subvolume`. */
  readonly name: string;
  readonly detail?: string;
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

export const NOTHING: Contents = { items: [], gaps: [] };

export function joined(parts: readonly Contents[]): Contents {
  const notes = parts.flatMap((part) => part.notes ?? []);
  return {
    items: parts.flatMap(({ items }) => items),
    gaps: parts.flatMap(({ gaps }) => gaps),
    ...(notes.length > 0 ? { notes } : {}),
  };
}
