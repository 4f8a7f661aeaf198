import { compareText, type Gap, type ObjectRef } from '#pkg/object';
import { totalOf, type Blocker, type Finding } from './finding.ts';

/** How the message of a condition and of an Event begins. */
export const BLOCKED = 'object deletion is blocked because it has dependents:';
export const UNKNOWN = 'object deletion is blocked because not all that may depend on it could be looked at:';
export const UNBLOCKED = 'object deletion is not blocked: it has no dependents';

/** All dependents by kind, sorted; where they do not fit, the same number of each kind and how many more there are. */
export function blockedMessage(finding: Finding, maxBytes: number): string {
  const groups = groupsOf(finding);
  const longest = Math.max(0, ...groups.map(({ names }) => names.length));
  const message = (each: number): string =>
    `${BLOCKED} ${groups.map((group) => groupText(group, each)).join(', ')}`;
  return message(mostThatFit(longest, (each) => Buffer.byteLength(message(each)) <= maxBytes));
}

/** All that could not be looked at; where it does not fit, the first of it and how much more there is. */
export function unknownMessage(gaps: readonly Gap[], maxBytes: number): string {
  const message = (shown: number): string => {
    const left = gaps.length - shown;
    const parts = gaps.slice(0, shown).map(gapText);
    return `${UNKNOWN} ${[...parts, ...(left > 0 ? [`+${left} more`] : [])].join('; ')}`;
  };
  return message(mostThatFit(gaps.length, (shown) => Buffer.byteLength(message(shown)) <= maxBytes));
}

/** The largest number up to `limit` that fits, and 0 where none does. */
function mostThatFit(limit: number, fits: (number: number) => boolean): number {
  let [most, tooMany] = [0, limit + 1];
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2);
    if (fits(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}

export function gapText({ what, reason }: Gap): string {
  return `${what} (${reason})`;
}

/** `CephBlockPool "rook-ceph/replicapool"`. */
export function quotedName({ kind, namespace, name }: ObjectRef): string {
  return `${kind} "${namespace ? `${namespace}/` : ''}${name}"`;
}

/** `3 CephBlockPools and 1 CephNFS`. */
export function countsText({ counts }: Finding): string {
  const parts = Object.entries(counts)
    .sort(([a], [b]) => compareText(a, b))
    .map(([kind, count]) => `${count} ${count === 1 ? kind : pluralOf(kind)}`);
  const last = parts.pop() ?? '';
  return parts.length > 0 ? `${parts.join(', ')} and ${last}` : last;
}

const MAX_NAMED = 20;

/** A heading, and a line for each of the first blockers. */
export function denialLines(subject: ObjectRef, finding: Finding): readonly string[] {
  const total = totalOf(finding);
  const named = finding.blockers
    .slice(0, MAX_NAMED)
    .map((blocker) => `- ${blockerText(blocker)} (${blocker.code})${heldText(blocker)}`);
  const left = total - named.length;
  const isWhole = finding.blockers.some(({ of }) => of !== undefined);
  return [
    `${quotedName(subject)} ${isWhole ? 'would take along what is needed by' : 'is needed by'} ${countsText(finding)}:`,
    ...named,
    ...(left > 0 ? [`- +${left} more`] : []),
  ];
}

/** Which of the resources that would go it holds. */
function heldText({ of }: Blocker): string {
  return of ? `, which needs ${blockerText(of)}` : '';
}

export function blockerText({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

interface Group {
  readonly kind: string;
  readonly names: readonly string[];
  readonly count: number;
}

function groupsOf({ blockers, counts }: Finding): readonly Group[] {
  return Object.entries(counts)
    .map(([kind, count]) => ({ kind: pluralOf(kind), names: namesOf(kind, blockers), count }))
    .sort((a, b) => compareText(a.kind, b.kind));
}

function namesOf(kind: string, blockers: readonly Blocker[]): readonly string[] {
  return blockers
    .filter((blocker) => blocker.kind === kind)
    .map(({ namespace, name }) => (namespace ? `${namespace}/${name}` : name))
    .sort(compareText);
}

function groupText({ kind, names, count }: Group, each: number): string {
  const shown = names.slice(0, each);
  const left = count - shown.length;
  return `${kind}: [${[...shown, ...(left > 0 ? [`+${left} more`] : [])].join(' ')}]`;
}

/** As the resource dependency design writes kinds: `CephBlockPools`, `CephNFSes`. Some stand for many already. */
export function pluralOf(kind: string): string {
  if (/(?:Objects|Trash)$/.test(kind)) return kind;
  return /s$/i.test(kind) ? `${kind}es` : `${kind}s`;
}
