import type {
  ClusterDrain,
  DrainReport,
  DrainVerdict,
  MaintenanceNote,
  OtherMaintenance,
} from '#pkg/verdict';
import { humanDuration } from './duration.ts';
import { resourceName } from './object-label.ts';
import { printable } from './printable.ts';
import type { Style, Tone } from './style.ts';
import { table } from './table.ts';

const TONES: Readonly<Record<DrainVerdict, Tone>> = { Blocked: 'bad', Drainable: 'good', Unknown: 'unsure' };

const MAKERS: Readonly<Record<ClusterDrain['budgetsBy'], string>> = {
  Rook: 'made by Rook (managePodBudgets)',
  'rook-deps': 'made by rook-deps',
  others: 'made neither by Rook nor by rook-deps',
  nobody: 'nobody makes them: nothing keeps two nodes from being drained at once',
};

/** A report on the drain of a node, for people. */
export function renderDrainReport(
  report: DrainReport,
  { style, now }: { readonly style: Style; readonly now: number },
): string {
  const sections = [
    verdictSection(report, style),
    report.maintenance ? maintenanceSection(report.maintenance, now) : [],
    report.notes.map((note) => `Note: ${printable(note)}`),
    section('Blocked by:', table(report.causes.map(({ code, message }) => [code, printable(message)]))),
    section(
      'Other failure domains in maintenance:',
      report.otherMaintenances.map((other) => printable(otherWords(other, now))),
    ),
    ...report.clusters.map(clusterSection),
    section(
      'Not checked:',
      report.gaps.map(({ what, reason }) => printable(`${what}: ${reason}`)),
    ),
    section('Next:', report.next.map(printable)),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** The names of what holds the node, one a line, for `xargs`. */
export function drainNames(report: DrainReport): readonly string[] {
  return [...new Set(report.causes.map(({ object }) => resourceName(object)))];
}

function verdictSection(report: DrainReport, style: Style): readonly string[] {
  const tone = TONES[report.verdict];
  const headline = `${style.paint(tone, report.verdict.toUpperCase())}  ${style.paint('strong', resourceName(report.subject))}`;
  const text = `${headline}\n${sentence(report)}`;
  return [style.box ? style.box(text, tone) : text];
}

function sentence({ verdict, drained, gaps, clusters, otherMaintenances }: DrainReport): string {
  const state = drained === undefined ? '' : ` It is ${drained}.`;
  switch (verdict) {
    case 'Blocked':
      return `A drain would not get through, or would take data away from those who use it.${state}`;
    case 'Unknown': {
      const things = gaps.length === 1 ? '1 thing' : `${gaps.length} things`;
      return `Nothing was found that holds its pods, but ${things} could not be checked.${state}`;
    }
    case 'Drainable': {
      if (otherMaintenances.length > 0)
        return `Nothing holds its pods yet, but OSDs of another failure domain may go at any moment: wait for it.${state}`;
      const isAsked = clusters.every(({ wouldStop }) => wouldStop !== undefined);
      const data = isAsked ? 'and all data stays available without it' : 'but Ceph was left out';
      return clusters.length === 0
        ? `Nothing holds its pods, and no OSD or monitor is among them.${state}`
        : `Nothing holds its pods, ${data}.${state}`;
    }
  }
}

function maintenanceSection(note: MaintenanceNote, now: number): readonly string[] {
  const { phase, message, since, requestedBy, reason, isStopping } = note;
  const rows = [
    ['Phase:', isStopping && phase !== 'Recovering' ? `${phase}, being stopped` : phase],
    ...(message ? [['State:', message]] : []),
    ['Since:', since === undefined ? 'not begun' : `${since} (${lengthWords(since, now)} ago)`],
    ['Asked for by:', requestedBy ?? 'nobody knows'],
    ['Reason:', reason ?? 'none given'],
  ];
  return section('Maintenance:', table(rows.map((row) => row.map(printable))));
}

function otherWords(
  { node, domain, phase, since, requestedBy, reason }: OtherMaintenance,
  now: number,
): string {
  const when = since === undefined ? '' : `, for ${lengthWords(since, now)}`;
  const who = requestedBy ? `, asked for by ${requestedBy}` : '';
  return `node ${node} of ${domain}: ${phase}${when}${who}${reason ? `: ${reason}` : ''}`;
}

function lengthWords(since: string, now: number): string {
  return humanDuration(Math.max(0, now - Date.parse(since)));
}

function clusterSection(drain: ClusterDrain): readonly string[] {
  const { cluster, domainType, domains, draining, down, placementGroups, noout } = drain;
  const own = domains.map((domain) => domain || 'without a label').join(', ');
  const rows = [
    ['Failure domain:', own ? `${domainType} ${own}` : domainType],
    ['Draining:', draining === undefined ? 'nothing' : `${domainType} ${draining || 'without a label'}`],
    ['OSDs down:', down.length === 0 ? 'none' : osds(down)],
    ['Placement groups:', placementGroups ?? 'not known'],
    ['Without the node:', forecast(drain)],
    ...(noout.length === 0 ? [['noout:', 'not set']] : noout.map(({ message }) => ['noout:', message])),
    ['Budgets:', MAKERS[drain.budgetsBy]],
  ];
  return section(
    `CephCluster ${printable(`${cluster.namespace ?? ''}/${cluster.name}`)}:`,
    table(rows.map((row) => row.map(printable))),
  );
}

function forecast({ leaving, wouldStop, wouldDegrade }: ClusterDrain): string {
  if (leaving.length === 0) return 'no OSD that is up would go';
  const groups =
    wouldStop === undefined
      ? 'what becomes of the data is not known'
      : `${wouldStop} placement groups would not be served, ${wouldDegrade ?? 0} would lack a copy`;
  return `${osds(leaving)} would go; ${groups}`;
}

function osds(ids: readonly number[]): string {
  return ids.map((id) => `osd.${id}`).join(', ');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}
