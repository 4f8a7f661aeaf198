import type { KubeObject } from '#pkg/object';
import { OSD_ID } from './kinds.ts';

/** How drains are spoken of, in Events, reports and on the way. */

const MAX_LISTED = 6;

/** `osd.2, osd.3 and osd.4`; of many, the first and the number of the others. */
export function listed(names: readonly string[]): string {
  const shown = names.length > MAX_LISTED ? names.slice(0, MAX_LISTED - 1) : names;
  const rest = names.length - shown.length;
  const all = rest > 0 ? [...shown, `${rest} more`] : shown;
  const [last = 'nothing', ...before] = all.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
}

/** `zone zone-x`. OSDs whose labels name no domain are one of their own. */
export function domainWords(type: string, domain: string): string {
  return domain ? `${type} ${domain}` : `the ${type} without a label`;
}

/** `osd.2`, or the name of a pod that is none of an OSD. */
export function podWords({ metadata }: KubeObject): string {
  const id = metadata.labels?.[OSD_ID];
  return id === undefined ? `pod ${metadata.name}` : `osd.${id}`;
}

/** How the placement groups are, if Ceph says so. */
export function groupWords(states: string | undefined): string {
  return states === undefined
    ? 'Ceph does not tell how its placement groups are'
    : `placement groups: ${states}`;
}
