import {
  kindKey,
  type Gap,
  type GroupKind,
  type KubeObject,
  type ListRequest,
  type Reader,
} from '#pkg/object';
import { manifestReader } from '#pkg/snapshot';

/** A Reader that remembers what it was asked for. */
export interface FakeReader extends Reader {
  readonly requests: readonly ListRequest[];
}

/** A kind that cannot be listed, and why. */
export interface Refusal {
  readonly kind: GroupKind;
  readonly reason: string;
}

/** Serves these objects as a server would: of a metadata request, nothing but metadata comes back. */
export function fakeReader(objects: readonly KubeObject[], refusals: readonly Refusal[] = []): FakeReader {
  const reader = manifestReader(objects);
  const requests: ListRequest[] = [];
  return {
    ...reader,
    requests,
    async list(request, signal) {
      requests.push(request);
      const gaps = refusals.filter(({ kind }) => kindKey(kind) === kindKey(request.kind)).map(gapOf);
      if (gaps.length > 0) return { items: [], gaps };
      const { items } = await reader.list(request, signal);
      return { items: request.detail === 'metadata' ? items.map(metadataOf) : items, gaps: [] };
    },
  };
}

function gapOf({ kind, reason }: Refusal): Gap {
  return { what: kind.kind, reason };
}

function metadataOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}
