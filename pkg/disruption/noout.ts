import type { OsdMap } from '#pkg/ceph';
import type { NooutRecord } from '#pkg/drain';

export type NooutStep =
  | { readonly kind: 'remember'; readonly record: NooutRecord }
  | { readonly kind: 'set'; readonly domain: string }
  | { readonly kind: 'unset'; readonly domain: string }
  | { readonly kind: 'forget'; readonly domain: string };

export interface NooutSituation {
  /** The domain whose OSDs will be back, if any. */
  readonly wanted: string | undefined;
  readonly records: readonly NooutRecord[];
  readonly osdMap: OsdMap;
  /** The names in the CRUSH map: a flag on one that is gone went with it. */
  readonly buckets: ReadonlySet<string>;
  readonly now: number;
  readonly timeoutMs: number;
}

/** What to do about noout. Whatever we do not remember as ours belongs to somebody else, and stays as it is. */
export function nooutSteps(situation: NooutSituation): readonly NooutStep[] {
  const { wanted, records } = situation;
  const others = records.filter(({ domain }) => domain !== wanted);
  return [
    ...others.flatMap((record) => release(record, situation)),
    ...(wanted === undefined ? [] : keep(wanted, situation)),
  ];
}

function isSet(domain: string, { osdMap }: NooutSituation): boolean {
  return osdMap.bucketFlags.get(domain)?.includes('noout') === true;
}

function release({ domain, phase }: NooutRecord, situation: NooutSituation): readonly NooutStep[] {
  const isStillThere = phase !== 'expired' && isSet(domain, situation) && situation.buckets.has(domain);
  return [...(isStillThere ? [{ kind: 'unset', domain } as const] : []), { kind: 'forget', domain }];
}

function keep(domain: string, situation: NooutSituation): readonly NooutStep[] {
  const { records, buckets, now, timeoutMs } = situation;
  const record = records.find((known) => known.domain === domain);
  if (!record) {
    if (!buckets.has(domain) || isSet(domain, situation)) return [];
    const setting: NooutRecord = { domain, since: now, phase: 'setting' };
    return [
      { kind: 'remember', record: setting },
      { kind: 'set', domain },
      { kind: 'remember', record: { ...setting, phase: 'set' } },
    ];
  }
  if (record.phase === 'expired') return [];
  if (now - record.since >= timeoutMs) {
    const unset: readonly NooutStep[] = isSet(domain, situation) ? [{ kind: 'unset', domain }] : [];
    return [...unset, { kind: 'remember', record: { ...record, phase: 'expired' } }];
  }
  if (record.phase === 'set') {
    // Somebody took it off: they know better.
    return isSet(domain, situation) ? [] : [{ kind: 'remember', record: { ...record, phase: 'expired' } }];
  }
  const set: readonly NooutStep[] = isSet(domain, situation) ? [] : [{ kind: 'set', domain }];
  return [...set, { kind: 'remember', record: { ...record, phase: 'set' } }];
}
