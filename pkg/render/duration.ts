const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** How long ago, as kubectl writes ages: `119s`, `9m5s`, `179m`, `7h59m`, `47h`, `7d3h`, `729d`, `2y10d`. */
export function humanDuration(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`;
  if (ms < 10 * MINUTE) return pair(ms, MINUTE, 'm', SECOND, 's');
  if (ms < 3 * HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return pair(ms, HOUR, 'h', MINUTE, 'm');
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  if (ms < 8 * DAY) return pair(ms, DAY, 'd', HOUR, 'h');
  if (ms < 2 * YEAR) return `${Math.floor(ms / DAY)}d`;
  if (ms < 8 * YEAR) return pair(ms, YEAR, 'y', DAY, 'd');
  return `${Math.floor(ms / YEAR)}y`;
}

function pair(ms: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % big) / small);
  const head = `${Math.floor(ms / big)}${bigUnit}`;
  return rest === 0 ? head : `${head}${rest}${smallUnit}`;
}
