import { isTerminating, keyOf, numberAt, type ObjectRef } from '#pkg/object';
import { lookAgain, waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { applyPart } from './apply-part.ts';
import { conditionsFor, type Condition } from './conditions.ts';
import { isForeground, parseComposite, partFields, type Composite, type Part } from './composite.ts';
import { checkTemplates, compositionOf, recordOf } from './composition.ts';
import { helpAlong } from './help.ts';
import type { PartOutcome, Problem } from './outcome.ts';
import type { StorageClaimPorts } from './ports.ts';
import { removePart } from './remove-part.ts';
import { targetOf } from './template.ts';
import { describe, writeStatus } from './writes.ts';

/** What was refused may be granted, and what is missing defined, without any object telling. */
const PROBLEM_AGAIN_MS = 15_000;

/** Keeps a composite composed as its templates say, and helps the garbage collector when it goes. */
export function compositeReconciler(ports: StorageClaimPorts): Reconciler<ObjectRef> {
  return {
    async reconcile(ref, signal) {
      // Another one may have taken the name already.
      const after = await afterwards(ref, ports, signal);
      const object = await ports.get(ref, signal);
      return object ? sooner(after, await look(parseComposite(object), ports, signal)) : after;
    },
  };
}

function sooner(a: Outcome, b: Outcome): Outcome {
  if (a.kind === 'wait-for-change') return b;
  return b.kind === 'wait-for-change' || a.afterMs < b.afterMs ? a : b;
}

async function look(composite: Composite, ports: StorageClaimPorts, signal: AbortSignal): Promise<Outcome> {
  const { object } = composite;
  if (!isTerminating(object)) return compose(composite, ports, signal);
  if (!isForeground(object)) return waitForChange;
  const sinceMs = Date.parse(object.metadata.deletionTimestamp ?? '') || 0;
  const departure = { ...composite, sinceMs, propagationPolicy: 'Foreground' } as const;
  return (await helpAlong(departure, ports, signal)).outcome;
}

/** Deleted in the background: what it was composed of goes after it. */
async function afterwards(ref: ObjectRef, ports: StorageClaimPorts, signal: AbortSignal): Promise<Outcome> {
  const departed = ports.departed.get(ref);
  if (!departed) return waitForChange;
  const departure = { ...departed, ref, propagationPolicy: 'Background' } as const;
  const { outcome, left } = await helpAlong(departure, ports, signal);
  if (left === 0) ports.departed.forget(ref);
  return outcome;
}

async function compose(
  composite: Composite,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const checked = await checkTemplates(composite, ports.types, signal);
  const composition = compositionOf(composite, checked);
  // Before anything is made: what is not recorded could not be found again after a crash and a change of the templates.
  const record = recordOf(composite, composition);
  const recorded = await writeStatus(composite.object, { resources: record.map(entryOf) }, ports, signal);
  if (!recorded) return waitForChange;
  const known = new Map(record.map((part) => [keyOf(part.ref), part]));
  const generation = numberAt(composite.object, 'metadata', 'generation');
  const isNew = numberAt(composite.object, 'status', 'observedGeneration') !== generation;

  const outcomes: PartOutcome[] = composition.kept.map((part) => ({ part }));
  for (const part of composition.undesired) outcomes.push(await removePart(part, composite, ports, signal));
  const applied: PartOutcome[] = [];
  for (const wanted of composition.wanted) {
    const old = known.get(keyOf(targetOf(wanted.template, composite.ref)));
    applied.push(await applyPart({ ...wanted, isNew }, composite, old, ports, signal));
  }
  const all = [...applied, ...outcomes];
  const problems = [...composition.problems, ...all.flatMap(({ problem }) => problem ?? [])];
  const parts = all.flatMap(({ part }) => part ?? []);
  const status = {
    observedGeneration: generation,
    resources: parts.map(entryOf),
    conditions: conditionsFor(recorded, [syncedOf(problems), readyOf(parts, problems)], ports.clock.now()),
  };
  await writeStatus(recorded, status, ports, signal);
  return problems.length > 0 ? lookAgain(PROBLEM_AGAIN_MS) : waitForChange;
}

function entryOf(part: Part): object {
  const { template, isReady, message } = part;
  return { template, ...partFields(part), ready: isReady, ...(message ? { message } : {}) };
}

const MAX_MESSAGE = 4_000;

function syncedOf(problems: readonly Problem[]): Condition {
  const [first] = problems;
  if (!first) return { type: 'Synced', isTrue: true, reason: 'Applied', message: '' };
  const message = problems
    .map((problem) => problem.message)
    .join('; ')
    .slice(0, MAX_MESSAGE);
  return { type: 'Synced', isTrue: false, reason: first.reason, message };
}

function readyOf(parts: readonly Part[], problems: readonly Problem[]): Condition {
  const lacking = parts.filter(({ isReady }) => !isReady);
  if (lacking.length === 0 && problems.length === 0)
    return { type: 'Ready', isTrue: true, reason: 'Available', message: '' };
  const message = lacking
    .map(({ ref, message: why }) => `${describe(ref)} ${why ?? 'is not there yet'}`)
    .join('; ')
    .slice(0, MAX_MESSAGE);
  return {
    type: 'Ready',
    isTrue: false,
    reason: 'Composing',
    message: message || 'not all templates can be applied',
  };
}
