import { isRecord, listAt, numberAt, recordAt, textAt, type KubeObject } from '#pkg/object';

/** A flag of ours, as it is remembered: before it is set, while it is, and after its time is over. */
export interface NooutRecord {
  readonly domain: string;
  /** Milliseconds since 1970: when it was asked for. */
  readonly since: number;
  readonly phase: 'setting' | 'set' | 'expired';
}

/** What whoever keeps the budgets has written down about a drain, in a ConfigMap beside the cluster. */
export interface DrainState {
  /** The type of failure domain that Ceph's rules last asked for. */
  readonly type?: string;
  readonly draining?: string;
  readonly noout: readonly NooutRecord[];
}

/** Ours. */
export const STATE_NAME = 'rook-deps-disruption';
export const STATE_KEY = 'state.json';
/** Rook's, which it leaves when it is told to stop. */
export const ROOK_STATE_NAME = 'rook-ceph-pdbstatemap';
const PHASES: readonly string[] = ['setting', 'set', 'expired'];

/** What somebody has broken reads as nothing, except that flags of ours are never forgotten half. */
export function parseState(configMap: KubeObject | undefined): DrainState {
  const parsed = parsedJson(textAt(configMap, 'data', STATE_KEY) ?? '');
  const type = textAt(parsed, 'type');
  const draining =
    isRecord(parsed) && typeof parsed['draining'] === 'string' ? parsed['draining'] : undefined;
  return {
    ...(type ? { type } : {}),
    ...(draining === undefined ? {} : { draining }),
    noout: listAt(parsed, 'noout').flatMap(parseRecord),
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function parseRecord(value: unknown): readonly NooutRecord[] {
  const domain = textAt(value, 'domain');
  const since = numberAt(value, 'since');
  const phase = textAt(value, 'phase');
  if (domain === undefined || since === undefined || phase === undefined || !PHASES.includes(phase))
    return [];
  return [{ domain, since, phase: phase as NooutRecord['phase'] }];
}

const LAST_SET = '-noout-last-set-at';

/** The same from Rook's. It does not say which type of failure domain it means. */
export function parseRookState(configMap: KubeObject | undefined): DrainState {
  const draining = textAt(configMap, 'data', 'draining-failure-domain');
  const isSet = textAt(configMap, 'data', 'set-no-out') === 'true';
  const noout = Object.entries(recordAt(configMap, 'data')).flatMap(
    ([key, value]): readonly NooutRecord[] => {
      const since = typeof value === 'string' ? Date.parse(value) : Number.NaN;
      if (!isSet || !key.endsWith(LAST_SET) || Number.isNaN(since)) return [];
      const domain = key.slice(0, -LAST_SET.length);
      return domain === draining ? [{ domain, since, phase: 'set' }] : [];
    },
  );
  return { ...(draining === undefined ? {} : { draining }), noout };
}
