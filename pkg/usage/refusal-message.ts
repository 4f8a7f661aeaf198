import type { ResourceTypes } from '#pkg/object';
import { typeOf } from './target.ts';
import type { Usage } from './usage.ts';

/** A policy of the cluster may be against it as well, and no grant helps with that. */
export function refusalMessage({ of }: Usage, types: ResourceTypes, { message }: Error): string {
  const [, resource, group] =
    / cannot \w+ resource "([^"/]+)[^"]*" in API group "([^"]*)"/.exec(message) ?? [];
  if (resource === undefined) return message;
  const used = typeOf(of, types);
  // What uses the object is only looked at.
  const flag = used?.plural === resource && used.group === group ? '--grant' : '--grant-read';
  return `${message} (grant it: kubectl rook-deps install ${flag} ${resource}${group ? `.${group}` : ''})`;
}
