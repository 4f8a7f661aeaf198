import { NODE, listed } from '#pkg/drain';
import {
  conflictsIn,
  ownDomains,
  planText,
  type Conflict,
  type Situation,
  type Surroundings,
} from '#pkg/maintenance';
import { compareText, UserError, type KubeObject } from '#pkg/object';
import { printable } from '#pkg/render';
import type { Io } from '../io.ts';
import { requestOf, survey, type StartOrders } from './start.ts';
import { findMaintenance, type Found, type Tools } from './tools.ts';

/** A node, as it was before anything began. */
export interface Member {
  readonly name: string;
  /** The failure domains of its OSDs; a node without any is one of its own. */
  readonly domain: string;
  /** Its maintenance, if it is in one already. */
  readonly known: Found | undefined;
  readonly situation: Situation & { readonly surroundings: Surroundings };
  readonly conflicts: readonly Conflict[];
}

/** Nodes that may be out of service at the same time. */
export interface Group {
  readonly domain: string;
  readonly members: readonly Member[];
}

export async function selectedNodes(
  selector: string,
  { cluster }: Tools,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { items, gaps } = await cluster.reader.list(
    { kind: NODE, detail: 'object', labelSelector: selector },
    signal,
  );
  const [gap] = gaps;
  if (gap) throw new UserError(`error: cannot list ${gap.what}: ${gap.reason}`);
  if (items.length === 0) throw new UserError(`error: no node has the labels "${selector}"`);
  return items.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
}

/** Looks at each node. What has begun comes to its end before anything else begins. */
export async function planRolling(
  nodes: readonly KubeObject[],
  orders: StartOrders,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<readonly Group[]> {
  const members: Member[] = [];
  for (const [at, { metadata }] of nodes.entries()) {
    io.showProgress(printable(`looking at ${metadata.name}, ${at + 1} of ${nodes.length}`));
    members.push(await memberOf(metadata.name, orders, tools, signal));
  }
  io.showProgress(undefined);
  const begunFirst = members.toSorted((a, b) => progressOf(b) - progressOf(a));
  return [...Map.groupBy(begunFirst, ({ domain }) => domain)].map(([domain, own]) => ({
    domain,
    members: own,
  }));
}

async function memberOf(
  name: string,
  orders: StartOrders,
  tools: Tools,
  signal: AbortSignal,
): Promise<Member> {
  const known = await findMaintenance(name, tools, signal);
  const situation = await survey(await requestOf(name, orders, tools, signal), tools, signal);
  const { surroundings } = situation;
  const domains = surroundings.clusters.flatMap((cluster) =>
    ownDomains(cluster).map((domain) => `${cluster.type} ${domain}`),
  );
  return {
    name,
    domain: [...new Set(domains)].toSorted(compareText).join(', ') || `node ${name}`,
    known,
    situation,
    // What is under way looks for itself.
    conflicts: known ? [] : conflictsIn(situation, surroundings),
  };
}

/** What has changed something goes before what only waits for it. */
function progressOf({ known }: Member): number {
  if (!known) return 0;
  return known.maintenance.status.prior ? 2 : 1;
}

/** What is in the way of those who would go first. */
export function firstConflicts([first]: readonly Group[]): readonly Conflict[] {
  return first?.members.flatMap(({ conflicts }) => conflicts) ?? [];
}

/** The plan of each node, and their order. */
export function rollingText(groups: readonly Group[]): readonly string[] {
  const [, ...later] = groups;
  const held = later.flatMap(({ members }) => members.filter(({ conflicts }) => conflicts.length > 0));
  return [
    ...groups.flatMap(({ members }) => members.flatMap((member) => [...memberText(member), ''])),
    'One after the other, each when the data of the one before is whole again:',
    ...groups.map(({ domain, members }, at) =>
      printable(`  ${at + 1}  ${domain}: ${members.map(({ name }) => name).join(', ')}`),
    ),
    ...(held.length > 0
      ? [
          printable(
            `What is in the way of ${listed(held.map(({ name }) => name))} is looked at again, and waited for, when it is their turn.`,
          ),
        ]
      : []),
  ];
}

function memberText({ name, known, situation, conflicts }: Member): readonly string[] {
  if (!known) return planText(situation, situation.surroundings, conflicts);
  return [`${printable(name)} is in maintenance already (${known.maintenance.status.phase}).`];
}
