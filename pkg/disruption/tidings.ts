import { domainWords, groupWords, type Health, type OsdFacts } from '#pkg/drain';
import type { KubeObject } from '#pkg/object';
import type { Protection } from './decision.ts';
import type { Observation } from './observation.ts';

export interface DrainNews {
  /** The domain that was draining before. */
  readonly before: string | undefined;
  readonly protection: Protection;
  readonly type: string;
  readonly osds: readonly OsdFacts[];
  readonly health: Health | undefined;
}

type Record = (object: KubeObject, reason: string, note: string, signal: AbortSignal) => Promise<void>;

/** An Event when a drain begins, moves on or ends; nothing while nothing changes. */
export async function tellOfDrain(
  news: DrainNews,
  cluster: KubeObject,
  seen: Pick<Observation, 'nodes'>,
  record: Record,
  signal: AbortSignal,
): Promise<void> {
  const { before, protection } = news;
  const now = protection.kind === 'blocking' ? protection.draining : undefined;
  if (now === before) return;
  if (now === undefined) {
    await record(cluster, 'DrainEnded', endOf(news), signal);
    return;
  }
  const note = beginningOf(news, now);
  await record(cluster, 'DrainStarted', note, signal);
  for (const node of nodesOf(now, news, seen)) await record(node, 'DrainStarted', note, signal);
}

function beginningOf({ type, osds, health }: DrainNews, domain: string): string {
  const down = osds.filter((osd) => osd.isDown && osd.domain === domain).map(({ id }) => `osd.${id}`);
  const where = domainWords(type, domain);
  return `${down.join(', ')} of ${where} went down; OSDs of every other ${type} must stay until it is back (${groupWords(health?.words)})`;
}

function endOf({ before, type, protection }: DrainNews): string {
  const excluded = protection.kind === 'default' ? protection.excluded : [];
  const without =
    excluded.length > 0 ? `, without counting ${excluded.map((id) => `osd.${id}`).join(', ')}` : '';
  return `all placement groups are clean; ${type} ${before ?? ''} holds back nobody any more: one OSD may go${without}`;
}

/** The nodes where the OSDs of a domain were, that are still there. */
function nodesOf(
  domain: string,
  { osds }: DrainNews,
  { nodes }: Pick<Observation, 'nodes'>,
): readonly KubeObject[] {
  const names = new Set(osds.flatMap((osd) => (osd.isDrained && osd.domain === domain ? [osd.node] : [])));
  return nodes.filter(
    ({ metadata }) => names.has(metadata.name) || names.has(metadata.labels?.['kubernetes.io/hostname']),
  );
}
