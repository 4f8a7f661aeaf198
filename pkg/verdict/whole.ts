import type { Gap } from '#pkg/object';
import { nextSteps } from './next-steps.ts';
import type { DependencyReport, ObjectName } from './report.ts';

/** What is composed is held by whatever holds a part of it, except by its own other parts and what else goes with it. */
export function judgeWhole(
  own: DependencyReport,
  parts: readonly DependencyReport[],
  goes: (object: ObjectName) => boolean = () => false,
): DependencyReport {
  if (parts.length === 0) return own;
  const members = new Set([own, ...parts].map(({ subject }) => keyOf(subject)));
  const held = parts.flatMap(({ causes, subject }) => causes.map((cause) => ({ ...cause, part: subject })));
  // What holds the whole by its name does so wherever it is: a Usage in the very namespace that it keeps.
  const causes = [...own.causes, ...held.filter(({ object }) => !goes(object))].filter(
    ({ object }) => !members.has(keyOf(object)),
  );
  const gaps = distinct([own, ...parts].flatMap((report) => report.gaps));
  const verdict = causes.length > 0 ? 'Blocked' : gaps.length > 0 ? 'Unknown' : 'Deletable';
  const lacksCeph = parts.some(({ next }) => next.includes('kubectl rook-deps explain RD027'));
  const findings = { ...own, causes, gaps, verdict } as const;
  return { ...findings, next: nextSteps({ ...findings, lacksCeph }) };
}

function keyOf({ apiVersion, kind, namespace, name }: ObjectName): string {
  return `${apiVersion.split('/')[0] ?? ''}/${kind}/${namespace ?? ''}/${name}`;
}

function distinct(gaps: readonly Gap[]): readonly Gap[] {
  return [...new Map(gaps.map((gap) => [`${gap.what}: ${gap.reason}`, gap])).values()];
}
