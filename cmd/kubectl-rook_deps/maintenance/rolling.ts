import { NODE } from '#pkg/drain';
import { conflictsIn, ownDomains, planText } from '#pkg/maintenance';
import { compareText, UserError, type KubeObject } from '#pkg/object';
import type { Args } from '../args.ts';
import { confirm } from '../confirm.ts';
import type { Io } from '../io.ts';
import { begin, requestOf, survey, type StartOrders } from './start.ts';
import { findMaintenance, type Tools } from './tools.ts';

/** Nodes that may be out of service at the same time. */
interface Group {
  readonly domain: string;
  readonly nodes: readonly string[];
}

const POLL_MS = 2000;

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
  return items.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
}

/** One failure domain after the other. The next begins when the one before is out of maintenance, and its data whole again. */
export async function startRolling(
  nodes: readonly KubeObject[],
  orders: StartOrders,
  tools: Tools,
  context: { readonly args: Args; readonly io: Io },
  signal: AbortSignal,
): Promise<number> {
  const { args, io } = context;
  const groups = await plan(nodes, orders, tools, io, signal);
  for (const [at, { domain, nodes: names }] of groups.entries())
    io.error(`${at + 1}  ${domain}: ${names.join(', ')}`);
  if (orders.dryRun !== 'none') return 0;
  if (!(await confirm([], args, io, signal))) {
    io.error('error: nothing was changed');
    return 1;
  }
  for (const { nodes: names } of groups) {
    for (const name of names) {
      const request = await requestOf(name, orders, tools, signal);
      const code = await begin(request, { ...orders, wait: true }, tools, io, signal);
      if (code !== 0) return code;
      io.error(`Do your work on ${name}, then: kubectl rook-deps maintenance stop ${name}`);
    }
    for (const name of names) await untilOver(name, tools, io, signal);
  }
  return 0;
}

/** What each node brings; nodes without OSDs go one by one. */
async function plan(
  nodes: readonly KubeObject[],
  orders: StartOrders,
  tools: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<readonly Group[]> {
  const placed: { readonly domain: string; readonly node: string }[] = [];
  for (const { metadata } of nodes) {
    const request = await requestOf(metadata.name, orders, tools, signal);
    const situation = await survey(request, tools, signal);
    for (const line of planText(
      situation,
      situation.surroundings,
      conflictsIn(situation, situation.surroundings),
    ))
      io.error(line);
    io.error('');
    const domains = situation.surroundings.clusters.flatMap((cluster) =>
      ownDomains(cluster).map((domain) => `${cluster.type} ${domain}`),
    );
    placed.push({
      node: metadata.name,
      domain: domains.toSorted(compareText).join(', ') || `node ${metadata.name}`,
    });
  }
  const groups = Map.groupBy(placed, ({ domain }) => domain);
  return [...groups].map(([domain, members]) => ({ domain, nodes: members.map(({ node }) => node) }));
}

async function untilOver(node: string, tools: Tools, io: Io, signal: AbortSignal): Promise<void> {
  for (;;) {
    const found = await findMaintenance(node, tools, signal);
    if (!found) break;
    io.showProgress(`${node}: ${found.maintenance.status.phase}; waiting for it to be stopped`);
    await tools.ports.clock.sleep(POLL_MS, signal);
  }
  io.showProgress(undefined);
}
