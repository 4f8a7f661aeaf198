import type { Clock } from '#pkg/clock';
import { isTerminating, keyOf, refOf, type KubeObject, type Reader, type Writer } from '#pkg/object';
import { stillThere, type Remaining } from './gone.ts';
import { amongThese, otherOwnerOf } from './other-owners.ts';
import { identityOf, type Plan, type Step } from './plan.ts';

export type Cascade = 'Background' | 'Foreground' | 'Orphan';

/** What is told while a plan is carried out. */
export type Progress =
  | { readonly kind: 'level'; readonly steps: readonly Step[] }
  | { readonly kind: 'gone'; readonly object: KubeObject }
  /** From here on it may be on its way, whatever is heard of it. */
  | { readonly kind: 'asked'; readonly object: KubeObject }
  | { readonly kind: 'accepted'; readonly object: KubeObject }
  | { readonly kind: 'stays'; readonly object: KubeObject; readonly otherOwner?: string | undefined }
  | { readonly kind: 'refused'; readonly object: KubeObject; readonly error: Error }
  | { readonly kind: 'waiting'; readonly remaining: readonly Remaining[] };

export interface CarryOutPorts {
  readonly reader: Pick<Reader, 'get' | 'list'>;
  readonly writer: Pick<Writer, 'delete'>;
  readonly clock: Clock;
  /** Plans anew from what is there now. */
  look(signal: AbortSignal): Promise<Plan>;
  report(progress: Progress): void;
}

export interface Orders {
  readonly cascade: Cascade;
  /** Whether to see the end of the last level. */
  readonly wait: boolean;
  readonly deadlineMs: number;
}

/** How it ended; `obstructed`: what is in the way now was not there, or not known, when it was agreed to. */
export type Result =
  | { readonly kind: 'done' | 'requested' | 'interrupted' }
  | { readonly kind: 'refused'; readonly refused: readonly KubeObject[] }
  | { readonly kind: 'timed-out'; readonly remaining: readonly Remaining[] }
  | { readonly kind: 'obstructed'; readonly plan: Plan; readonly fresh: readonly KubeObject[] };

const POLL_MS = 500;
const AT_ONCE = 8;

/**
 * Deletes level by level. Each time it looks anew: what has come since was not agreed to, and ends it. May be begun again
 * after any end.
 */
export async function carryOut(
  agreed: Plan,
  orders: Orders,
  ports: CarryOutPorts,
  signal: AbortSignal,
): Promise<Result> {
  try {
    for (;;) {
      const plan = asAgreed(await ports.look(signal), agreed);
      const [level] = plan.levels;
      if (!level) return { kind: 'done' };
      if (ports.clock.now() >= orders.deadlineMs) return { kind: 'timed-out', remaining: [] };
      const known = new Set(affectedBy(agreed).map(identityOf));
      const fresh = affectedBy(plan).filter((object) => !known.has(identityOf(object)));
      if (fresh.length > 0 || plan.obstacles.length > 0 || plan.gaps.length > 0)
        return { kind: 'obstructed', plan, fresh };
      const isLast = plan.levels.length === 1;
      const end = await finish(
        level,
        isLast ? plan.owned : [],
        isLast && !orders.wait,
        orders,
        ports,
        signal,
      );
      if (end) return end;
    }
  } catch (error) {
    if (signal.aborted) return { kind: 'interrupted' };
    throw error;
  }
}

function affectedBy({ levels, owned }: Plan): readonly KubeObject[] {
  return [...levels.flat().map(({ object }) => object), ...owned];
}

/** What was to be left to a driver is left to it, though its claim is gone by now. */
function asAgreed(plan: Plan, agreed: Plan): Plan {
  const awaited = new Set(
    agreed.levels.flat().flatMap(({ object, action }) => (action === 'await' ? [identityOf(object)] : [])),
  );
  const levels = plan.levels.map((level) =>
    level.map((step): Step => (awaited.has(identityOf(step.object)) ? { ...step, action: 'await' } : step)),
  );
  return { ...plan, levels };
}

/** Undefined when the level is gone. */
async function finish(
  level: readonly Step[],
  owned: readonly KubeObject[],
  isLeft: boolean,
  orders: Orders,
  ports: CarryOutPorts,
  signal: AbortSignal,
): Promise<Result | undefined> {
  ports.report({ kind: 'level', steps: level });
  const refused = await deleteAll(level, orders, ports, signal);
  const rest = level.filter(({ object }) => !refused.includes(object)).map(({ object }) => object);
  if (isLeft) return refused.length > 0 ? { kind: 'refused', refused } : { kind: 'requested' };
  const late = await untilGone(rest, refused.length > 0 ? [] : owned, orders, ports, signal);
  if (refused.length > 0) return { kind: 'refused', refused };
  return late.length > 0 ? { kind: 'timed-out', remaining: late } : undefined;
}

async function deleteAll(
  steps: readonly Step[],
  { cascade }: Orders,
  { writer, report }: CarryOutPorts,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const refused: KubeObject[] = [];
  const pending = steps.filter(({ action, object }) => action === 'delete' && !isTerminating(object));
  const work = async (): Promise<void> => {
    for (let step = pending.shift(); step; step = pending.shift()) {
      const { object } = step;
      report({ kind: 'asked', object });
      try {
        await writer.delete(refOf(object), { uid: object.metadata.uid, propagationPolicy: cascade }, signal);
        report({ kind: 'accepted', object });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Error) || !('status' in error)) throw error;
        refused.push(object);
        report({ kind: 'refused', object, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return refused;
}

/** What is still there when the time is up. Followers that will not go are not waited for. */
async function untilGone(
  deleted: readonly KubeObject[],
  followers: readonly KubeObject[],
  { deadlineMs }: Orders,
  ports: CarryOutPorts,
  signal: AbortSignal,
): Promise<readonly Remaining[]> {
  const { reader, clock, report } = ports;
  const isGoing = amongThese([...deleted, ...followers]);
  const owned = new Set(followers.filter(hasOwner).map(({ metadata }) => metadata.uid));
  let left = [...deleted, ...followers];
  for (;;) {
    const found = await stillThere(left, reader, signal);
    const keys = new Set(found.map(({ object }) => keyOf(refOf(object))));
    for (const object of left) if (!keys.has(keyOf(refOf(object)))) report({ kind: 'gone', object });
    const remaining: Remaining[] = [];
    for (const one of found) {
      const isFollower = owned.has(one.object.metadata.uid);
      if (!isFollower || !(await stays(one.object, isGoing, ports, signal))) remaining.push(one);
    }
    left = remaining.map(({ object }) => object);
    if (left.length === 0) return [];
    report({ kind: 'waiting', remaining });
    if (clock.now() >= deadlineMs) return remaining;
    await clock.sleep(POLL_MS, signal);
  }
}

/** Another owner may have come, or the last one may have been taken off. */
async function stays(
  object: KubeObject,
  isGoing: ReturnType<typeof amongThese>,
  { reader, report }: CarryOutPorts,
  signal: AbortSignal,
): Promise<boolean> {
  if (isTerminating(object)) return false;
  // Whether it cannot be seen matters only to how long it takes.
  const otherOwner = await otherOwnerOf(object, isGoing, reader, signal).catch(() => undefined);
  signal.throwIfAborted();
  if (hasOwner(object) && otherOwner === undefined) return false;
  report({ kind: 'stays', object, otherOwner });
  return true;
}

function hasOwner({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).length > 0;
}
