/** What the API server uses where a webhook says nothing, and the most that it takes. */
const DEFAULT_MS = 10_000;
const MAX_MS = 30_000;
/** Kept back for the way there and back: the API server's watch started before ours. */
const MAX_MARGIN_MS = 1_000;

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** How long a decision may take, from the `timeout` of the webhook's query (`10s`, `1m0s`), less a margin. */
export function timeLimitMs(timeout: string | null): number {
  const askedMs = durationMs(timeout ?? '') ?? DEFAULT_MS;
  const limitMs = Math.min(askedMs, MAX_MS);
  return limitMs - Math.min(limitMs / 5, MAX_MARGIN_MS);
}

/** Durations as Go writes them. Undefined for anything else, and for nothing at all. */
function durationMs(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|[smh]))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smh])/g)];
  const sum = parts.reduce((ms, [, count, unit]) => ms + Number(count) * (UNITS_MS[unit ?? ''] ?? 0), 0);
  return sum > 0 ? sum : undefined;
}
