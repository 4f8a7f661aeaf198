import { keyOf, refOf, type KubeObject } from '#pkg/object';
import type { ContentsReader } from '#pkg/verdict';
import { shared } from './shared.ts';

/** One question about the contents of a resource at a time: each is a handful of processes in the pod of the operator. */
export function sharedContents(contents: ContentsReader, limitMs: number): ContentsReader {
  const idOf = (resource: KubeObject): string => `${keyOf(refOf(resource))} ${resource.metadata.uid ?? ''}`;
  const ask = shared(contents.contentsOf.bind(contents), idOf, limitMs);
  return { contentsOf: (resource) => ask(resource) };
}
