import type { OsdMap } from '#pkg/ceph';
import { humanDuration } from '#pkg/render';
import type { NooutRecord } from './drain-state.ts';
import { domainWords, listed } from './words.ts';

/** That Ceph does not move the data of a domain's OSDs while they are down, for how long, and by whom. */
export interface NooutHold {
  /** The name of the bucket; absent for a flag of the whole cluster. */
  readonly domain?: string;
  /** Milliseconds since 1970; absent when nobody will take it off by itself. */
  readonly until?: number;
  /** A sentence for people, without a full stop. */
  readonly message: string;
}

export interface NooutSources {
  readonly type: string;
  /** Of whoever keeps the budgets. */
  readonly records: readonly NooutRecord[];
  readonly timeoutMs: number;
  /** Absent while Ceph does not answer: then the records are all there is. */
  readonly osdMap: OsdMap | undefined;
  readonly now: number;
}

/** Every noout that is set, and those that were and are over, as far as anybody remembers. */
export function nooutHolds(sources: NooutSources): readonly NooutHold[] {
  const { records, osdMap } = sources;
  const flagged = [...(osdMap?.bucketFlags ?? [])].flatMap(([bucket, flags]) =>
    flags.includes('noout') ? [bucket] : [],
  );
  const foreign = flagged.filter((bucket) => !records.some(({ domain }) => domain === bucket));
  const single = (osdMap?.osds ?? [])
    .filter(({ state }) => state.includes('noout'))
    .map(({ id }) => `osd.${id}`);
  return [
    ...records.map((record) => recorded(record, flagged, sources)),
    ...foreign.map((domain) => ({
      domain,
      message: `noout is set on ${domain}, by somebody else: it stays`,
    })),
    ...(single.length > 0
      ? [{ message: `noout is set on ${listed(single)} alone, by a maintenance or by somebody else` }]
      : []),
    ...(osdMap?.flags.includes('noout')
      ? [{ message: 'noout is set on the whole cluster, by somebody else: it stays' }]
      : []),
  ];
}

function recorded(
  { domain, since, phase }: NooutRecord,
  flagged: readonly string[],
  { type, timeoutMs, osdMap, now }: NooutSources,
): NooutHold {
  const where = domainWords(type, domain);
  const until = since + timeoutMs;
  if (phase === 'expired')
    return { domain, message: `noout on ${where} is over: Ceph moves its data elsewhere` };
  if (osdMap && !flagged.includes(domain)) return { domain, message: `noout on ${where} is not set` };
  const left = until - now;
  const words = left > 0 ? `holds for ${humanDuration(left)} more` : 'is about to be taken off';
  return { domain, until, message: `noout on ${where} ${words}` };
}
