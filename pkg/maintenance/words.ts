import type { Status } from './status.ts';

/** How a maintenance is spoken of, in a status and on a terminal. */

export function osdName(id: number): string {
  return `osd.${id}`;
}

/** `osd.0,osd.1`: where noout of ours is on. */
export function nooutWords({ noout }: Status): string {
  const on = noout.filter(({ state }) => state !== 'off').flatMap(({ osds }) => osds);
  return on.map(osdName).join(',');
}

/** `1/2`: of the node's OSDs, those that are down. */
export function osdCount({ clusters }: Status): string {
  const all = clusters.flatMap(({ osds }) => osds).length;
  return all === 0 ? '' : `${clusters.flatMap(({ down }) => down).length}/${all}`;
}
