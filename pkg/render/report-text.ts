import type { Cause, Deletion, DependencyReport, VerdictKind } from '#pkg/verdict';
import { humanDuration } from './duration.ts';
import { objectLabel, resourceName } from './object-label.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';
import { table } from './table.ts';

export interface ReportOptions {
  readonly style: Style;
  /** List everything, with all columns. */
  readonly wide: boolean;
  readonly headers: boolean;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
}

/** How many objects of a code are listed before the rest is only counted. */
const MAX_LISTED = 10;

const TONES: Readonly<Record<VerdictKind, Tone>> = { Blocked: 'bad', Deletable: 'good', Unknown: 'unsure' };

/** A report for people: the verdict on top, then causes, what was not checked, and what to do next. */
export function renderReport(report: DependencyReport, options: ReportOptions): string {
  const sections = [
    verdictSection(report, options),
    notesSection(report.notes ?? []),
    deletionSection(report.deletion, options),
    causeSection('Blocked by:', report.causes, report, options),
    causeSection('Related, not blocking by themselves:', report.related, report, options),
    listSection(
      'Not checked:',
      report.gaps.map(({ what, reason }) => `${what}: ${reason}`),
    ),
    listSection('Next:', report.next),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** The names of what holds the subject, one a line, for `xargs`. */
export function reportNames(report: DependencyReport): readonly string[] {
  return [...new Set(report.causes.map(({ object }) => resourceName(object)))];
}

function verdictSection(report: DependencyReport, { style }: ReportOptions): readonly string[] {
  const tone = TONES[report.verdict];
  const { namespace } = report.subject;
  const subject = `${resourceName(report.subject)}${namespace ? printable(` in namespace ${namespace}`) : ''}`;
  const headline = `${style.paint(tone, report.verdict.toUpperCase())}  ${style.paint('strong', subject)}`;
  const text = `${headline}\n${verdictSentence(report)}`;
  return [style.box ? style.box(text, tone) : text];
}

function verdictSentence({ verdict, causes, related, gaps, deletion }: DependencyReport): string {
  const already = deletion ? ' It is already being deleted.' : '';
  switch (verdict) {
    case 'Blocked': {
      const objects = new Set(
        causes.map(({ object }) => `${object.kind}/${object.namespace ?? ''}/${object.name}`),
      ).size;
      const [verb, holders] = objects === 1 ? ['needs', 'that object holds'] : ['need', 'they hold'];
      return deletion
        ? `It is already being deleted, and ${count(objects, 'object')} still ${verb} it.`
        : `${count(objects, 'object')} ${verb} it: deleting it now would break or destroy what ${holders}.`;
    }
    case 'Deletable':
      return related.length === 0
        ? `Nothing depends on it.${already}`
        : `Nothing that depends on it holds it back.${already}`;
    case 'Unknown':
      return `Nothing was found that holds it, but ${count(gaps.length, 'thing')} could not be checked.${already}`;
  }
}

function notesSection(notes: readonly string[]): readonly string[] {
  return notes.map((note) => `Note: ${printable(note)}`);
}

function deletionSection(deletion: Deletion | undefined, { now }: ReportOptions): readonly string[] {
  if (!deletion) return [];
  const age = now - Date.parse(deletion.requestedAt);
  const since = Number.isNaN(age) ? '' : ` (${humanDuration(age)} ago)`;
  const by = deletion.requestedBy ? `, by ${deletion.requestedBy}` : '';
  const rows = [
    ['Requested:', printable(`${deletion.requestedAt}${since}${by}`)],
    ...deletion.finalizers.map(({ name, manager }) => [
      'Finalizer:',
      printable(manager ? `${name} (set by ${manager})` : name),
    ]),
    ...deletion.conditions.map(({ type, status, reason, message }) => [
      'Condition:',
      printable(`${type}=${status}${reason ? ` ${reason}` : ''}${message ? `: ${message}` : ''}`),
    ]),
    ...(deletion.operator ? [['Operator:', OPERATOR_WORDS[deletion.operator]]] : []),
  ];
  return ['Already being deleted:', ...table(rows).map(indented)];
}

const OPERATOR_WORDS: Readonly<Record<NonNullable<Deletion['operator']>, string>> = {
  Running: 'the Rook operator is running',
  NotRunning: 'the Rook operator is NOT running: nobody will finish this deletion',
  NotFound: 'NO pod of the Rook operator was found: nobody will finish this deletion',
  Unknown: 'whether the Rook operator runs could not be checked',
};

function causeSection(
  title: string,
  causes: readonly Cause[],
  report: DependencyReport,
  options: ReportOptions,
): readonly string[] {
  if (causes.length === 0) return [];
  const here = report.subject.namespace;
  const rows: string[][] = options.headers ? [['CODE', 'OBJECT', 'WHY', 'FIELD']] : [];
  const rest: string[] = [];
  for (const [code, group] of Map.groupBy(causes, (cause) => cause.code)) {
    const listed = options.wide ? group : group.slice(0, MAX_LISTED);
    for (const cause of listed) {
      rows.push([
        code,
        objectLabel(cause.object, here),
        reason(cause, report.subject),
        printable(cause.field ?? '<none>'),
      ]);
    }
    const left = group.length - listed.length;
    if (left > 0) rest.push(`and ${left} more with ${code} (-o wide lists them all)`);
  }
  return [title, ...fitted(rows, options).map(indented), ...rest.map(indented)];
}

/** A table, or on a terminal that is too narrow for it, the same a few lines for each object. */
function fitted(
  rows: readonly (readonly string[])[],
  { style, wide, headers }: ReportOptions,
): readonly string[] {
  const lines = table(rows);
  const room = (style.width ?? Infinity) - INDENT.length;
  if (wide || lines.every((line) => line.length <= room)) return lines;
  return rows
    .slice(headers ? 1 : 0)
    .flatMap(([code = '', object = '', why = '', field = '']) => [
      `${code}   ${object}`,
      `${' '.repeat(code.length + 3)}${why}`,
      `${' '.repeat(code.length + 3)}${field}`,
    ]);
}

/** The message without the names that the reader has before their eyes: the object's own column, and the subject. */
function reason({ message, relation }: Cause, subject: DependencyReport['subject']): string {
  const at = message.indexOf(relation);
  const rest = at < 0 ? message : message.slice(at);
  return printable(rest.replace(`${relation} ${subject.kind} ${subject.name}`, `${relation} it`));
}

function listSection(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => indented(printable(line)))];
}

const INDENT = '  ';

function indented(line: string): string {
  return `${INDENT}${line}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
