import type { KubeObject } from '#pkg/object';
import type { DrainReport, MaintenanceNote, OtherMaintenance } from '#pkg/verdict';
import { osdsOn } from './cluster-drain.ts';
import type { ClusterLook } from './cluster-look.ts';
import { domainWords, listed } from './words.ts';

/** What maintenances have to do with the drain of a node: its own, and those that it has to wait for. */
export function maintenancesFor(
  node: KubeObject,
  nodes: readonly KubeObject[],
  looks: readonly ClusterLook[],
  all: readonly MaintenanceNote[],
): Pick<DrainReport, 'maintenance' | 'otherMaintenances'> {
  const { name } = node.metadata;
  const own = all.filter((one) => one.node === name);
  const begun = all.filter(({ since }) => since !== undefined);
  // A command and the controller may both have one: the one that has begun counts.
  const maintenance = own.find((one) => begun.includes(one)) ?? own[0];
  return {
    ...(maintenance ? { maintenance } : {}),
    // One that has not begun is in nobody's way.
    otherMaintenances: begun.flatMap((other) => {
      const domains = looks.flatMap((look) => foreignDomains(other.node, node, nodes, look));
      return other.node === name || domains.length === 0 ? [] : [placed(other, domains)];
    }),
  };
}

function placed(note: MaintenanceNote, domains: readonly string[]): OtherMaintenance {
  return { ...note, domain: listed([...new Set(domains)].toSorted()) };
}

/** The domains of another node's OSDs in which this one has none. */
function foreignDomains(
  other: string,
  node: KubeObject,
  nodes: readonly KubeObject[],
  { picture: { type, osds } }: ClusterLook,
): readonly string[] {
  const object = nodes.find(({ metadata }) => metadata.name === other);
  const own = new Set(osdsOn(node, osds).map(({ domain }) => domain));
  const theirs = object ? osdsOn(object, osds) : osds.filter((osd) => osd.node === other);
  if (own.size === 0) return [];
  return theirs.filter(({ domain }) => !own.has(domain)).map(({ domain }) => domainWords(type, domain));
}
