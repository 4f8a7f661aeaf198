import {
  compareText,
  isForbidden,
  isTerminating,
  type GroupKind,
  type KubeObject,
  type Listing,
  type ListRequest,
  type ObjectRef,
  type ResourceTypes,
  type Writer,
} from '#pkg/object';
import type { Clock } from '#pkg/clock';
import { waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { mark, marksOf } from './marks.ts';
import { addFinalizer, adopt, deleteUsage, writeRef } from './usage-writes.ts';
import { release } from './release.ts';
import { selected, unresolvedMessage } from './selection.ts';
import { statusPatch, type Finding } from './status.ts';
import { kindOf, targetOf, typesFor } from './target.ts';
import { FINALIZER, parseUsage, type Side, type Usage } from './usage.ts';

export interface UsagePorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  list(request: ListRequest, signal: AbortSignal): Promise<Listing>;
  /** The types of the server, young enough to tell whether `wanted` is among them. */
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  /** Every usage of both kinds, as the server has them now. */
  allUsages(signal: AbortSignal): Promise<readonly Usage[]>;
  readonly writer: Writer;
  /** Whether this user may delete this object: nobody borrows our rights. */
  mayDelete(user: { readonly username: string }, ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
  /** Tells people what happened to an object. */
  record(object: KubeObject, reason: string, note: string, signal: AbortSignal): Promise<void>;
  readonly clock: Clock;
}

/** Keeps the used object marked for as long as its usages want it, and lets it go with the last of them. */
export function usageReconciler(ports: UsagePorts): Reconciler<ObjectRef> {
  return {
    async reconcile(ref, signal) {
      const object = await ports.get(ref, signal);
      if (!object) return waitForChange;
      const usage = parseUsage(object);
      return isTerminating(object) ? release(usage, ports, signal) : hold(usage, ports, signal);
    },
  };
}

async function hold(written: Usage, ports: UsagePorts, signal: AbortSignal): Promise<Outcome> {
  const types = await typesFor(written, ports, signal);
  const resolved = await resolve(written, types, ports, signal);
  if ('finding' in resolved) return conclude(written, resolved.finding, ports, signal);
  // Finalizer first: a crash after the mark alone would leave a mark that nobody removes.
  const usage = await addFinalizer(resolved.usage, FINALIZER, ports, signal);
  if (!usage) return waitForChange;
  return conclude(usage, await secure(usage, types, ports, signal), ports, signal);
}

async function conclude(
  usage: Usage,
  finding: Finding,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const status = statusPatch(usage, finding, ports.clock.now());
  if (status)
    await ports.writer.patch(usage.ref, { type: 'merge', body: { status }, subresource: 'status' }, signal);
  return waitForChange;
}

type Resolved = { readonly usage: Usage } | { readonly finding: Finding };

/** Selectors are resolved once and written back; from then on the usage names its objects. */
async function resolve(
  usage: Usage,
  types: ResourceTypes,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Resolved> {
  let current = usage;
  for (const name of ['of', 'by'] as const) {
    const side = current[name];
    if (!side) continue;
    const type = types.find(kindOf(side));
    if (!type) {
      const message = `spec.${name}: the server doesn't have a kind "${side.kind}" in ${side.apiVersion}`;
      return { finding: { reason: 'UnknownKind', message } };
    }
    if (side.name !== undefined) continue;
    const found = await choose(side, current, type.namespaced, ports, signal);
    if (typeof found === 'string') {
      return {
        finding: { reason: 'SelectorUnresolved', message: `spec.${name}.resourceSelector: ${found}` },
      };
    }
    const updated = await writeRef(current, name, found.metadata, ports, signal);
    if (!updated) return { finding: { reason: 'SelectorUnresolved', message: 'the usage is gone' } };
    current = updated;
  }
  return { usage: current };
}

async function choose(
  side: Side,
  usage: Usage,
  isNamespaced: boolean,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<KubeObject | string> {
  if (!side.selector) return 'neither a name nor a selector is set';
  const namespace = isNamespaced ? (side.selector.namespace ?? usage.ref.namespace) : undefined;
  const { items, gaps } = await ports.list({ kind: kindOf(side), namespace, detail: 'metadata' }, signal);
  const [gap] = gaps.toSorted((a, b) => compareText(a.what, b.what));
  if (gap) return `cannot list resources matching labels: ${gap.reason}`;
  return selected(items, side.selector, usage.object)[0] ?? unresolvedMessage(side.kind, side.selector);
}

/** Marks what is used, ties the usage to what uses it, and says how things stand. */
async function secure(
  usage: Usage,
  types: ResourceTypes,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Finding> {
  try {
    const used = await markAll(usage, types, ports, signal);
    const using = await findUsing(usage, types, ports, signal);
    if (!used)
      return { reason: 'UsedNotFound', message: `${usage.of.kind} "${usage.of.name ?? ''}" does not exist` };
    const uids = { usedUid: used.metadata.uid, usingUid: using?.metadata.uid };
    if (isTerminating(used)) {
      return {
        ...uids,
        reason: 'AlreadyTerminating',
        message: 'the object is being deleted already: too late to hold it',
      };
    }
    if (usage.by && !using) {
      return {
        ...uids,
        reason: 'UsingNotFound',
        message: `${usage.by.kind} "${usage.by.name ?? ''}" does not exist`,
      };
    }
    return { ...uids, reason: 'Available', message: '' };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { reason: 'Forbidden', message: forbiddenMessage(usage, types, error) };
  }
}

async function markAll(
  usage: Usage,
  types: ResourceTypes,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const [used, ...around] = marksOf(usage, types);
  const object = used && (await mark(used, ports, signal));
  // Without the object there is nothing to keep a namespace or a definition for.
  if (object) for (const ref of around) await mark(ref, ports, signal);
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
  return using;
}

function forbiddenMessage(usage: Usage, types: ResourceTypes, error: unknown): string {
  const kinds = [usage.of, ...(usage.by ? [usage.by] : [])].flatMap((side) => types.find(kindOf(side)) ?? []);
  const grants = kinds.map(({ plural, group }) => (group ? `${plural}.${group}` : plural));
  const why = error instanceof Error ? error.message : String(error);
  return `${why} (grant it: kubectl rook-deps install --grant ${[...new Set(grants)].join(',')})`;
}
