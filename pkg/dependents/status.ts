import { isRecord, listAt, textAt, type KubeObject } from '#pkg/object';
import type { Finding } from './finding.ts';
import { BLOCKED, pluralOf, UNBLOCKED, UNKNOWN } from './words.ts';

const ROOKS_TYPE = 'DeletionIsBlocked';
/** Where Rook writes the other condition again and again, and says less or something else. */
const OWN_TYPE = 'rook-deps.io/DeletionIsBlocked';
const DELETING = 'Deleting';

/** What is to be said about the deletion of a resource. */
export interface Statement {
  readonly reason: 'ObjectHasDependents' | 'DependentsUnknown';
  readonly message: string;
  /** What it rests on. */
  readonly finding: Finding;
}

/** Which parts of a status survive: schemas prune what they do not know. */
export interface Keeps {
  readonly phase: boolean;
  readonly conditions: boolean;
}

export type Condition = Readonly<Record<string, unknown>>;

export interface StatusPatch {
  readonly phase?: string;
  readonly conditions?: readonly Condition[];
}

/** The status to write while a deletion is blocked; undefined when it says so already. */
export function blockedStatus(
  object: KubeObject,
  statement: Statement,
  keeps: Keeps,
  now: number,
): StatusPatch | undefined {
  const phase = keeps.phase && textAt(object, 'status', 'phase') !== DELETING ? { phase: DELETING } : {};
  const conditions = keeps.conditions ? blockedConditions(object, statement, now) : undefined;
  if (Object.keys(phase).length === 0 && !conditions) return undefined;
  return { ...phase, ...(conditions ? { conditions } : {}) };
}

/** The conditions to write when nothing blocks any more; undefined when none is ours. */
export function releasedStatus(object: KubeObject, now: number): StatusPatch | undefined {
  const before = conditionsOf(object);
  const after = before
    .filter(({ type }) => type !== OWN_TYPE)
    .map((condition) =>
      condition['type'] === ROOKS_TYPE && condition['status'] === 'True' && isOurs(condition)
        ? conditionOf(
            ROOKS_TYPE,
            'False',
            { reason: 'ObjectHasNoDependents', message: UNBLOCKED },
            condition,
            now,
          )
        : condition,
    );
  const isSame = after.length === before.length && after.every((condition, at) => condition === before[at]);
  return isSame ? undefined : { conditions: after };
}

/** Whether Rook itself reports the block, with all who block it: then there is nothing to add. */
export function isToldByRook(object: KubeObject, { finding, reason }: Statement): boolean {
  const told = conditionsOf(object).find(({ type }) => type === ROOKS_TYPE);
  if (!told || isOurs(told) || told['status'] !== 'True' || reason !== 'ObjectHasDependents') return false;
  const named = namedByRook(textAt(told, 'message') ?? '');
  return finding.blockers.every(({ kind, name }) =>
    [kind, pluralOf(kind)].some((key) => named.get(key)?.has(name)),
  );
}

/** `…: CephBlockPool: [a b], CephNFS: [c]`, with some kinds in the plural. */
function namedByRook(message: string): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = message.matchAll(/(\w+): \[([^\]]*)\]/g);
  return new Map([...groups].map(([, kind = '', names = '']) => [kind, new Set(names.split(' '))]));
}

/** The message of ours that the object bears, if any. */
export function ownMessage(object: KubeObject): string | undefined {
  const own = conditionsOf(object).find((condition) => isOurs(condition) && condition['status'] === 'True');
  return textAt(own, 'message');
}

/** What a status that was written has become. */
export function keptOf(written: KubeObject, patch: StatusPatch): Partial<Keeps> {
  const types = new Set(conditionsOf(written).map(({ type }) => type));
  return {
    ...(patch.phase ? { phase: textAt(written, 'status', 'phase') === patch.phase } : {}),
    ...(patch.conditions ? { conditions: patch.conditions.every(({ type }) => types.has(type)) } : {}),
  };
}

function blockedConditions(
  object: KubeObject,
  statement: Statement,
  now: number,
): readonly Condition[] | undefined {
  if (isToldByRook(object, statement)) return undefined;
  const before = conditionsOf(object);
  const type = typeFor(
    object,
    before.find((condition) => condition['type'] === ROOKS_TYPE),
  );
  const old = before.find((condition) => condition['type'] === type);
  const isSaid =
    old?.['status'] === 'True' && old['reason'] === statement.reason && old['message'] === statement.message;
  const superfluous = type === ROOKS_TYPE && before.some((condition) => condition['type'] === OWN_TYPE);
  if (isSaid && !superfluous) return undefined;
  const said = isSaid ? old : conditionOf(type, 'True', statement, old, now);
  const others = before.filter((condition) => condition['type'] !== type && condition['type'] !== OWN_TYPE);
  return [...others, said];
}

/** Rook writes its condition as long as it has work to do: ours would be overwritten, and overwrite, every ten seconds. */
function typeFor(object: KubeObject, rooks: Condition | undefined): string {
  if (!rooks || isOurs(rooks)) return ROOKS_TYPE;
  const isAtWork = (object.metadata.finalizers ?? []).some((name) => name.endsWith('.ceph.rook.io'));
  return isAtWork || rooks['status'] === 'True' ? OWN_TYPE : ROOKS_TYPE;
}

function conditionOf(
  type: string,
  status: 'True' | 'False',
  { reason, message }: { readonly reason: string; readonly message: string },
  old: Condition | undefined,
  now: number,
): Condition {
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const since = old?.['status'] === status ? textAt(old, 'lastTransitionTime') : undefined;
  return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: since ?? time };
}

function conditionsOf(object: KubeObject): readonly Condition[] {
  return listAt(object, 'status', 'conditions').filter(isRecord);
}

function isOurs(condition: Condition): boolean {
  const message = textAt(condition, 'message') ?? '';
  return [BLOCKED, UNKNOWN, UNBLOCKED].some((words) => message.startsWith(words));
}
