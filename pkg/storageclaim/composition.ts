import { groupOf, keyOf, type GroupKind, type ResourceType, type ResourceTypes } from '#pkg/object';
import type { Composite, Part, Template } from './composite.ts';
import type { Problem } from './outcome.ts';
import { targetOf, templateProblem, typeProblem, type TemplateProblem } from './template.ts';

/** A template that can be applied, or what is wrong with it. */
export type Checked =
  | { readonly template: Template; readonly type: ResourceType }
  | { readonly template: Template; readonly problem: TemplateProblem; readonly isUnknownKind: boolean };

/** Every template with its kind, or what is wrong with it; two that mean one object are wrong both. */
export async function checkTemplates(
  composite: Composite,
  types: (wanted: GroupKind, signal: AbortSignal) => Promise<ResourceTypes>,
  signal: AbortSignal,
): Promise<readonly Checked[]> {
  const targets = composite.templates.map((template) => keyOf(targetOf(template, composite.ref)));
  const checked: Checked[] = [];
  for (const [at, template] of composite.templates.entries()) {
    const twin = targets.findIndex((target, other) => other !== at && target === targets[at]);
    const other = composite.templates[twin]?.name ?? '';
    const message = `template "${other}" makes the same object`;
    const plain = templateProblem(template) ?? (twin < 0 ? undefined : { message, field: 'metadata.name' });
    checked.push(
      plain ? { template, problem: plain, isUnknownKind: false } : await checkKind(template, types, signal),
    );
  }
  return checked;
}

async function checkKind(
  template: Template,
  types: (wanted: GroupKind, signal: AbortSignal) => Promise<ResourceTypes>,
  signal: AbortSignal,
): Promise<Checked> {
  const kind = {
    group: groupOf(String(template.content['apiVersion'])),
    kind: String(template.content['kind']),
  };
  const type = (await types(kind, signal)).find(kind);
  const problem = typeProblem(template, type);
  if (type && !problem) return { template, type };
  return { template, problem: problem ?? { message: '', field: 'kind' }, isUnknownKind: !type };
}

export function problemOf({
  template,
  problem,
  isUnknownKind,
}: Extract<Checked, { problem: unknown }>): Problem {
  return {
    reason: isUnknownKind ? 'UnknownKind' : 'InvalidTemplate',
    message: `template "${template.name}": ${problem.field}: ${problem.message}`,
  };
}

export interface Composition {
  readonly wanted: readonly { readonly template: Template; readonly type: ResourceType }[];
  readonly problems: readonly Problem[];
  /** Made once and not wanted any more. */
  readonly undesired: readonly Part[];
  /** Of templates that cannot be understood now: neither wanted nor given up. */
  readonly kept: readonly Part[];
}

/** What is to become of every template, and of every part that there is. */
export function compositionOf({ parts, ref }: Composite, checked: readonly Checked[]): Composition {
  const wanted = checked.filter((item) => 'type' in item);
  const broken = checked.filter((item) => 'problem' in item);
  const targets = new Set(wanted.map(({ template }) => keyOf(targetOf(template, ref))));
  const brokenNames = new Set(broken.map(({ template }) => template.name));
  const others = parts.filter((part) => !targets.has(keyOf(part.ref)));
  return {
    wanted,
    problems: broken.map(problemOf),
    undesired: others.filter(({ template }) => !brokenNames.has(template)),
    kept: others.filter(({ template }) => brokenNames.has(template)),
  };
}

/** What must be known before anything is made: all that is or was wanted. */
export function recordOf(composite: Composite, { wanted, undesired, kept }: Composition): readonly Part[] {
  const known = new Map(composite.parts.map((part) => [keyOf(part.ref), part]));
  const desired = wanted.map(({ template }): Part => {
    const ref = targetOf(template, composite.ref);
    const old = known.get(keyOf(ref));
    const apiVersion = String(template.content['apiVersion']);
    return old
      ? { ...old, template: template.name, apiVersion }
      : { template: template.name, apiVersion, ref, isReady: false };
  });
  return [...desired, ...kept, ...undesired];
}
