import { systemClock } from '#pkg/clock';
import { isTerminating, refOf, textAt, UserError, type KubeObject } from '#pkg/object';
import { readyCondition } from '#pkg/usage';
import type { Args } from './args.ts';
import { dryRunSuffix, type DryRun } from './dry-run.ts';
import type { Io } from './io.ts';
import { serialized } from './output.ts';
import { untilGone, usageName } from './usage-objects.ts';
import type { Cluster } from './wiring.ts';

export const FIELD_MANAGER = 'kubectl-rook-deps';
const POLL_MS = 200;

/** How protections are to be made. */
export interface Protecting {
  readonly format: string | undefined;
  readonly dryRun: DryRun;
  /** How long to wait until the protection is in force; undefined: not at all. */
  readonly waitMs: number | undefined;
  readonly args: Args;
  readonly io: Io;
  readonly cluster: Cluster;
}

/** A protection that was made or changed. */
export interface Made {
  readonly stored: KubeObject;
  readonly word: 'created' | 'configured' | 'unchanged';
  /** For people who should know more. */
  readonly note?: string | undefined;
}

export async function protectOne(usage: KubeObject, context: Protecting, signal: AbortSignal): Promise<void> {
  const { dryRun, cluster } = context;
  if (dryRun === 'client') return tell({ stored: usage, word: 'created' }, context, signal);
  const { namespace, name } = usage.metadata;
  const found = await cluster.reader.get(refOf(usage), namespace, name, signal);
  const before = await unlessGoing(found, context, signal);
  const options = { fieldManager: FIELD_MANAGER, force: true, dryRun: dryRun === 'server' };
  const stored = await cluster.writer.apply(usage, options, signal);
  await tell({ stored, word: wordFor(before, stored) }, context, signal);
}

/** Prints what was made, and waits until it is in force. */
export async function tell(
  { stored, word, note }: Made,
  context: Protecting,
  signal: AbortSignal,
): Promise<void> {
  const { format, dryRun, waitMs, io } = context;
  if (format === 'json' || format === 'yaml') io.print(await serialized(printed(stored, dryRun), format));
  else if (format === 'name') io.print(usageName(stored));
  else io.print(`${usageName(stored)} ${word}${dryRunSuffix(dryRun)}${note ? `\n${note}` : ''}`);
  if (dryRun === 'none' && waitMs !== undefined) await inForce(stored, waitMs, context, signal);
}

/** What is there already. One that is going protects nothing for long, and must be gone first. */
export async function unlessGoing(
  found: KubeObject | undefined,
  { dryRun, waitMs, cluster }: Pick<Protecting, 'dryRun' | 'waitMs' | 'cluster'>,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  if (!found || !isTerminating(found) || dryRun !== 'none') return found;
  if (waitMs === undefined)
    throw new UserError(`error: ${usageName(found)} is being deleted; try again when it is gone`);
  await untilGone([found], waitMs, cluster, signal);
  return undefined;
}

function wordFor(before: KubeObject | undefined, after: KubeObject): Made['word'] {
  if (!before) return 'created';
  return before.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured';
}

function printed(usage: KubeObject, dryRun: DryRun): object {
  if (dryRun === 'client') return usage;
  const { managedFields: _, ...metadata } = usage.metadata;
  return { ...usage, metadata };
}

/** The label brings deletions before the webhook: until the controller has put it there, nothing is protected. */
async function inForce(
  usage: KubeObject,
  limitMs: number,
  { args, cluster }: Protecting,
  signal: AbortSignal,
): Promise<void> {
  const deadline = systemClock.now() + limitMs;
  let last = 'the controller has not looked at it yet';
  while (systemClock.now() < deadline) {
    const now = await cluster.reader.get(refOf(usage), usage.metadata.namespace, usage.metadata.name, signal);
    if (!now || now.metadata.uid !== usage.metadata.uid || isTerminating(now))
      throw new UserError(`error: ${usageName(usage)} was deleted meanwhile`);
    const ready = readyCondition(now);
    if (textAt(ready, 'status') === 'True') return;
    if (ready) last = `${textAt(ready, 'reason') ?? ''}: ${textAt(ready, 'message') ?? ''}`;
    // A right that was just granted takes a moment; without one there is nothing to wait for.
    if (textAt(ready, 'reason') === 'Forbidden' && !args.isSet('grant'))
      throw new UserError(`error: ${usageName(usage)} is not in force: ${last}`);
    await systemClock.sleep(POLL_MS, signal);
  }
  throw new UserError(`error: ${usageName(usage)} is not in force after ${limitMs / 1000}s: ${last}`, {
    exitCode: 124,
  });
}
