import { systemClock } from '#pkg/clock';
import { DRAIN_KINDS, inquireDrains, type LookPorts } from '#pkg/drain';
import { Kinds, kindKey, refOf, sameKind, type KindKey, type KubeObject } from '#pkg/object';
import { drainNames, renderDrainReport, renderReport, reportNames, type ReportOptions } from '#pkg/render';
import { needsOfVerdict } from '#pkg/rules';
import { API_VERSION, inquire, type DependencyReport, type DrainReport } from '#pkg/verdict';
import type { Args } from './args.ts';
import { cephAccess, openCeph } from './ceph.ts';
import type { Io } from './io.ts';
import type { Source } from './wiring.ts';

/** An answer of `why`: whether a resource may be deleted, or a node be drained. */
export type Report = DependencyReport | DrainReport;

const isNode = (object: KubeObject): boolean => sameKind(refOf(object), Kinds.Node);

/** A report on each subject, in their order. A node is drained rather than deleted: that is what it is asked about. */
export async function reportsOn(
  subjects: readonly KubeObject[],
  args: Args,
  source: Source,
  io: Io,
  signal: AbortSignal,
): Promise<readonly Report[]> {
  const nodes = subjects.filter(isNode);
  const others = subjects.filter((subject) => !isNode(subject));
  const drains = nodes.length === 0 ? [] : await drainsOf(nodes, args, source, io, signal);
  const verdicts =
    others.length === 0 ? [] : await inquire(source.reader, others, await openCeph(args, source, io), signal);
  const bySubject = new Map<KubeObject, Report>([
    ...nodes.flatMap((node, at) => pair(node, drains[at])),
    ...others.flatMap((other, at) => pair(other, verdicts[at])),
  ]);
  return subjects.flatMap((subject) => bySubject.get(subject) ?? []);
}

function pair(subject: KubeObject, report: Report | undefined): readonly (readonly [KubeObject, Report])[] {
  return report ? [[subject, report]] : [];
}

async function drainsOf(
  nodes: readonly KubeObject[],
  args: Args,
  source: Source,
  io: Io,
  signal: AbortSignal,
): Promise<readonly DrainReport[]> {
  const access = await cephAccess(args, source, io);
  const ports: LookPorts = {
    reader: source.reader,
    cephOf: (cluster) => (access.kind === 'asked' ? access.cephOf(cluster) : undefined),
    clock: { ...systemClock, now: io.now },
    maintenances: async (signal) => {
      const { maintenanceNotes } = await import('#pkg/maintenance');
      return maintenanceNotes(source.reader, signal);
    },
    leavesOutCeph: access.kind === 'left out',
  };
  return inquireDrains(nodes, ports, signal);
}

export function renderAny(report: Report, options: ReportOptions): string {
  return report.kind === 'DrainReport' ? renderDrainReport(report, options) : renderReport(report, options);
}

export function namesIn(report: Report): readonly string[] {
  return report.kind === 'DrainReport' ? drainNames(report) : reportNames(report);
}

/** Several reports as one document; of different kinds, as kubectl lists objects of different kinds. */
export function reportList(reports: readonly Report[]): object {
  const kinds = new Set(reports.map(({ kind }) => kind));
  const [only = 'DependencyReport'] = kinds;
  return kinds.size > 1
    ? { apiVersion: 'v1', kind: 'List', items: reports }
    : { apiVersion: API_VERSION, kind: `${only}List`, items: reports };
}

/** The kinds without which an answer from files would say little. */
export function missingKinds(
  subjects: readonly KubeObject[],
  saved: ReadonlySet<KindKey>,
): readonly string[] {
  const isOptional = (group: string): boolean =>
    !['', 'ceph.rook.io', 'objectbucket.io', 'storage.k8s.io'].includes(group);
  const others = subjects.filter((subject) => !isNode(subject));
  const needs = [
    ...needsOfVerdict(others.map(refOf)).flatMap(({ kind, ifAny }) =>
      ifAny || isOptional(kind.group) ? [] : [kind],
    ),
    ...(subjects.some(isNode) ? DRAIN_KINDS : []),
  ];
  const missing = needs.filter((kind) => !saved.has(kindKey(kind))).map(({ kind }) => kind);
  return [...new Set(missing)].sort();
}
