import { domainWords, groupWords, type Health, type OsdFacts } from '#pkg/drain';
import type { KubeObject } from '#pkg/object';
import type { Protection } from './decision.ts';
import type { NooutStep } from './noout.ts';
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
  const [reason, note, domain] =
    now === undefined
      ? [before ? 'DrainEnded' : 'CopiesComplete', endOf(news), before ?? '']
      : [isDrain(news.osds, now) ? 'DrainStarted' : 'CopiesMissing', beginningOf(news, now), now];
  await record(cluster, reason, note, signal);
  const isConcerned = (osd: OsdFacts): boolean => osd.domain === domain && (now === undefined || osd.isDown);
  for (const node of nodesOf(news.osds.filter(isConcerned), seen)) await record(node, reason, note, signal);
}

/** An Event when even the domain that drains has to stay. The domain that this was said of, for the next time. */
export async function tellOfHold(
  { protection, type, osds }: Pick<DrainNews, 'protection' | 'type' | 'osds'>,
  said: string | undefined,
  cluster: KubeObject,
  seen: Pick<Observation, 'nodes'>,
  record: Record,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (protection.kind === 'default' || protection.stay === undefined) return undefined;
  const { draining, stay } = protection;
  if (draining === said) return draining;
  const note = `${domainWords(type, draining)} drains, and its OSDs that are up must stay as well: ${stay}`;
  await record(cluster, 'DrainHeld', note, signal);
  const live = osds.filter(({ domain, isDown }) => domain === draining && !isDown);
  for (const node of nodesOf(live, seen)) await record(node, 'DrainHeld', note, signal);
  return draining;
}

/** An Event when the time of noout is over: from then on Ceph moves data. */
export async function tellOfNoout(
  steps: readonly NooutStep[],
  cluster: KubeObject,
  record: Record,
  signal: AbortSignal,
): Promise<void> {
  const over = steps.flatMap((step) =>
    step.kind === 'remember' && step.record.phase === 'expired' ? [step.record.domain] : [],
  );
  for (const domain of over) {
    const note = `noout is no longer set on ${domain}: what its OSDs hold is copied elsewhere unless they are back soon`;
    await record(cluster, 'NooutEnded', note, signal);
  }
}

/** Copies may be missing with every OSD there. */
function isDrain(osds: readonly OsdFacts[], domain: string): boolean {
  return osds.some((osd) => osd.isDown && osd.domain === domain);
}

function beginningOf({ type, osds, health }: DrainNews, domain: string): string {
  const down = osds.filter((osd) => osd.isDown && osd.domain === domain).map(({ id }) => `osd.${id}`);
  if (down.length === 0) {
    return `copies are missing although no OSD is down; all OSDs must stay until they are there (${groupWords(health?.words)})`;
  }
  const where = domainWords(type, domain);
  return `${down.join(', ')} of ${where} went down; OSDs of every other ${type} must stay until it is back (${groupWords(health?.words)})`;
}

function endOf({ before, type, protection, health }: DrainNews): string {
  const excluded = protection.kind === 'default' ? protection.excluded : [];
  const without =
    excluded.length > 0 ? `, without counting ${excluded.map((id) => `osd.${id}`).join(', ')}` : '';
  const state = health?.isClean === false ? 'all copies are there' : 'all placement groups are clean';
  return before
    ? `${state}; ${type} ${before} holds back nobody any more: one OSD may go${without}`
    : `all copies are there; one OSD may go${without} (${groupWords(health?.words)})`;
}

/** The nodes where OSDs were, that are still there. */
function nodesOf(osds: readonly OsdFacts[], { nodes }: Pick<Observation, 'nodes'>): readonly KubeObject[] {
  const names = new Set(osds.map(({ node }) => node));
  return nodes.filter(
    ({ metadata }) => names.has(metadata.name) || names.has(metadata.labels?.['kubernetes.io/hostname']),
  );
}
