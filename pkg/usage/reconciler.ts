import {
  isTerminating,
  keyOf,
  type GroupKind,
  type KubeObject,
  type Listing,
  type ListRequest,
  type ObjectKey,
  type ObjectRef,
  type ResourceTypes,
  type Writer,
} from '#pkg/object';
import type { Clock } from '#pkg/clock';
import { IN_USE_LABEL, mark, Turns, type Wants } from '#pkg/protection';
import { waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { marksOf, unmarkAll } from './marks.ts';
import { addFinalizer, adopt, deleteUsage, isRefused } from './usage-writes.ts';
import { refusalMessage } from './refusal-message.ts';
import { release } from './release.ts';
import { resolve, type Judged } from './resolve.ts';
import { statusPatch, type Finding } from './status.ts';
import { targetOf, typesFor } from './target.ts';
import { FINALIZER, parseUsage, type Usage } from './usage.ts';

export interface UsagePorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  list(request: ListRequest, signal: AbortSignal): Promise<Listing>;
  /** The types of the server, young enough to tell whether `wanted` is among them. */
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  /** Every usage of both kinds, as the server has them now. */
  allUsages(signal: AbortSignal): Promise<readonly Usage[]>;
  readonly writer: Writer;
  /** Whether another protection than a usage wants a mark. */
  readonly isWantedElsewhere: Wants;
  /** Whether this user may delete this object: nobody borrows our rights. */
  mayDelete(user: { readonly username: string }, ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
  /** Tells people what happened to an object. */
  record(object: KubeObject, reason: string, note: string, signal: AbortSignal): Promise<void>;
  readonly clock: Clock;
}

export interface HoldingPorts extends UsagePorts {
  readonly turns: Turns<ObjectKey>;
  /** When we first saw that a usage is deleted, by our own clock: the server's may differ. */
  deletionSeenMs(usage: Usage): number;
}

/** Keeps the used object marked for as long as its usages want it, and lets it go with the last of them. */
export function usageReconciler(
  given: UsagePorts,
  turns: Turns<ObjectKey> = new Turns(),
): Reconciler<ObjectRef> {
  const seenMs = new Map<ObjectKey, number>();
  const deletionSeenMs = ({ ref }: Usage): number => {
    const first = seenMs.get(keyOf(ref)) ?? given.clock.now();
    seenMs.set(keyOf(ref), first);
    return first;
  };
  const ports: HoldingPorts = { ...given, turns, deletionSeenMs };
  return {
    async reconcile(ref, signal) {
      const object = await ports.get(ref, signal);
      if (!object || !isTerminating(object)) seenMs.delete(keyOf(ref));
      if (!object) return waitForChange;
      const usage = parseUsage(object);
      return isTerminating(object) ? release(usage, ports, signal) : hold(usage, ports, signal);
    },
  };
}

async function hold(written: Usage, ports: HoldingPorts, signal: AbortSignal): Promise<Outcome> {
  const types = await typesFor(written, ports, signal);
  const resolved = await resolve(written, types, ports, signal);
  const judged = 'finding' in resolved ? resolved : await secure(resolved.usage, types, ports, signal);
  if (!judged) return waitForChange;
  await conclude(judged.usage, judged.finding, ports, signal);
  if (judged.failure) throw judged.failure;
  return waitForChange;
}

async function conclude(
  usage: Usage,
  finding: Finding,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<void> {
  const status = statusPatch(usage, finding, ports.clock.now());
  if (status)
    await ports.writer.patch(usage.ref, { type: 'merge', body: { status }, subresource: 'status' }, signal);
}

/** Takes hold of what is used, as far as the server permits it. Undefined when the usage is gone. */
async function secure(
  written: Usage,
  types: ResourceTypes,
  ports: HoldingPorts,
  signal: AbortSignal,
): Promise<Judged | undefined> {
  try {
    // Finalizer first: a crash after the mark alone would leave a mark that nobody removes.
    const usage = await addFinalizer(written, FINALIZER, ports, signal);
    return usage && { usage, finding: await takeHold(usage, types, ports, signal) };
  } catch (error) {
    if (!isRefused(error)) throw error;
    const finding = { reason: 'Forbidden', message: refusalMessage(written, types, error) } as const;
    return { usage: written, finding, failure: error };
  }
}

/** Marks what is used, ties the usage to what uses it, and says how things stand. */
async function takeHold(
  usage: Usage,
  types: ResourceTypes,
  ports: HoldingPorts,
  signal: AbortSignal,
): Promise<Finding> {
  const used = await markAll(usage, types, ports, signal);
  const using = await findUsing(usage, types, ports, signal);
  if (!used)
    return { reason: 'UsedNotFound', message: `${usage.of.kind} "${usage.of.name ?? ''}" does not exist` };
  const seen = { used, usingUid: using?.metadata.uid };
  if (isTerminating(used)) {
    return {
      ...seen,
      reason: 'AlreadyTerminating',
      message: 'the object is being deleted already: too late to hold it',
    };
  }
  if (usage.by && !using) {
    return {
      ...seen,
      reason: 'UsingNotFound',
      message: `${usage.by.kind} "${usage.by.name ?? ''}" does not exist`,
    };
  }
  return { ...seen, reason: 'Available', message: '' };
}

async function markAll(
  usage: Usage,
  types: ResourceTypes,
  ports: HoldingPorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const [used, ...around] = marksOf(usage, types);
  const object = used && (await mark(used, IN_USE_LABEL, ports, signal));
  if (object) for (const ref of around) await mark(ref, IN_USE_LABEL, ports, signal);
  // Without the object there is nothing to keep a namespace or a definition for.
  else await unmarkAll(usage, around, types, ports, signal);
  return object;
}

async function findUsing(
  usage: Usage,
  types: ResourceTypes,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const ref = usage.by && targetOf(usage.by, usage, types);
  const using = ref && (await ports.get(ref, signal));
  if (using && (usage.usingUid === undefined || usage.usingUid === using.metadata.uid)) {
    await adopt(usage, using, ports, signal);
    return using;
  }
  // What used it is gone, or another object has taken its name: the usage has served.
  if (ref && usage.usingUid !== undefined) await deleteUsage(usage, ports, signal);
  return undefined;
}
