import { humanDuration, printable, table } from '#pkg/render';
import type { Maintenance } from './maintenance.ts';
import { nooutWords, osdCount } from './words.ts';

const HEAD = [
  'NODE',
  'PHASE',
  'REASON',
  'STARTED',
  'NOOUT',
  'OSDS-DOWN',
  'PGS',
  'PODS-PENDING',
  'BLOCKED-BY',
];
const WIDE = ['REQUESTED-BY', 'MESSAGE'];
const NONE = '<none>';

export interface TableOptions {
  readonly now: number;
  readonly isWide: boolean;
  readonly headers: boolean;
}

/** Where maintenances stand, as a table. */
export function statusTable(all: readonly Maintenance[], options: TableOptions): readonly string[] {
  const rows = all.map((one) => rowOf(one, options).map((cell) => printable(cell)));
  return table(options.headers ? [[...HEAD, ...(options.isWide ? WIDE : [])], ...rows] : rows);
}

function rowOf({ request, status }: Maintenance, { now, isWide }: TableOptions): readonly string[] {
  const { prior, drain, blockedBy, groups } = status;
  const [first, ...others] = blockedBy;
  const blocked = first ? `${first.message}${others.length > 0 ? ` (and ${others.length} more)` : ''}` : NONE;
  return [
    request.node,
    status.phase,
    request.reason ?? NONE,
    prior ? humanDuration(now - Date.parse(prior.recordedAt)) : NONE,
    nooutCell(status, now),
    osdCount(status) || NONE,
    groups ?? NONE,
    drain ? String(drain.pending) : NONE,
    blocked,
    ...(isWide ? [request.requestedBy ?? NONE, status.message || NONE] : []),
  ];
}

/** `osd.0,osd.1 (90m left)`. */
function nooutCell(status: Maintenance['status'], now: number): string {
  const words = nooutWords(status);
  if (words === '') return NONE;
  if (status.expiresAt === undefined) return words;
  const left = Date.parse(status.expiresAt) - now;
  return `${words} (${left > 0 ? `${humanDuration(left)} left` : 'overdue'})`;
}
