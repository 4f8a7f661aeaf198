import type { Edge } from '#pkg/graph';
import { keyOf, refOf, type KubeObject, type ObjectKey, type ObjectRef } from '#pkg/object';
import { FOLLOWING_CODES, HOLDING_CODES, LEAVING_CODES, OWNED_CODES, type DependencyIndex } from '#pkg/rules';
import type { Obstacle, PlanOptions } from './plan.ts';
import { roleOf } from './roles.ts';

export interface Owned {
  readonly ref: ObjectRef;
  readonly owner: ObjectKey;
}

/** A part of something that goes, which stays: it has another owner, or none. */
export interface Left {
  readonly ref: ObjectRef;
  readonly whole: ObjectRef;
  readonly otherOwner?: string | undefined;
  /** It loses its owner, because that was asked for. */
  readonly isOrphaned?: true;
}

/** Who else owns an object that would go with its owner: with another one, it does not. */
export type OtherOwners = ReadonlyMap<ObjectKey, string>;

/** All that is affected when the subjects go. */
export interface Reached {
  readonly subjects: ReadonlySet<ObjectKey>;
  readonly planned: ReadonlyMap<ObjectKey, ObjectRef>;
  readonly owned: ReadonlyMap<ObjectKey, Owned>;
  readonly left: readonly Left[];
  readonly edges: readonly Edge[];
  readonly obstacles: readonly Obstacle[];
  /** The planned object with which an object goes: itself, or the one that owns it, however far. */
  rootOf(key: ObjectKey): ObjectRef | undefined;
}

/** Follows the dependents of the subjects to where data of users begins, or beyond it if asked to. */
export function reach(
  subjects: readonly KubeObject[],
  index: DependencyIndex,
  options: PlanOptions,
  others: OtherOwners,
): Reached {
  const planned = new Map<ObjectKey, ObjectRef>(
    subjects.map((subject) => [keyOf(refOf(subject)), refOf(subject)]),
  );
  const own = new Set(planned.keys());
  const owned = new Map<ObjectKey, Owned>();
  const left = new Map<ObjectKey, Left>();
  const edges: Edge[] = [];
  const obstacles = new Map<string, Obstacle>();
  const pending = [...planned.keys()];

  // What goes by itself with another, as a composite with its claim, takes its own along.
  const isOrphaned = ({ code, provider }: Edge): boolean =>
    options.orphans === true && OWNED_CODES.has(code) && planned.has(keyOf(provider));
  const enter = (edge: Edge, provider: ObjectKey): void => {
    const key = keyOf(edge.dependent);
    if (isOrphaned(edge)) {
      left.set(key, { ref: edge.dependent, whole: edge.provider, isOrphaned: true });
      return;
    }
    const otherOwner = FOLLOWING_CODES.has(edge.code) ? others.get(key) : undefined;
    if (otherOwner !== undefined || LEAVING_CODES.has(edge.code)) {
      left.set(key, { ref: edge.dependent, whole: edge.provider, otherOwner });
      return;
    }
    edges.push(edge);
    if (planned.has(key) || owned.has(key)) return;
    if (follows(edge, provider, index)) owned.set(key, { ref: edge.dependent, owner: provider });
    else planned.set(key, edge.dependent);
    pending.push(key);
  };
  const block = (kind: Obstacle['kind'], edge: Edge): void => {
    const obstacle = { kind, object: edge.dependent, message: messageOf(edge), code: edge.code };
    // The last one met is the farthest from the subject, and tells the most.
    obstacles.set(`${keyOf(edge.dependent)} ${edge.code}`, obstacle);
  };

  for (let key = pending.shift(); key !== undefined; key = pending.shift()) {
    for (const edge of index.graph.edgesAt(key, 'dependents')) {
      // A volume may name a claim that is gone.
      if (!index.get(edge.dependent)) continue;
      switch (roleOf(edge.dependent)) {
        case 'part':
          enter(edge, key);
          break;
        case 'data':
          if (options.includeData || own.has(keyOf(edge.dependent)) || isOrphaned(edge)) enter(edge, key);
          // The garbage collector would take what is owned along, and ask nobody; Rook what it is told to overlook.
          else if (HOLDING_CODES.has(edge.code) || FOLLOWING_CODES.has(edge.code)) block('data', edge);
          break;
        case 'user':
          if (edge.blocks) block('user', edge);
          break;
        case 'protection':
        case 'other':
          if (FOLLOWING_CODES.has(edge.code) || LEAVING_CODES.has(edge.code)) enter(edge, key);
          else if (edge.blocks && roleOf(edge.dependent) === 'other') block('protection', edge);
      }
    }
  }
  // What is needed gone for another reason is deleted all the same.
  const staying = [...left].filter(([key]) => !planned.has(key) && !owned.has(key)).map(([, one]) => one);
  return {
    subjects: own,
    planned,
    owned,
    left: staying,
    edges,
    obstacles: [...obstacles.values()],
    rootOf,
  };

  function rootOf(key: ObjectKey): ObjectRef | undefined {
    let at = key;
    for (let next = owned.get(at); next; next = owned.get(at)) at = next.owner;
    return planned.get(at);
  }
}

/** Whether an object goes with its provider and is not one that the provider waits for. */
function follows(edge: Edge, provider: ObjectKey, index: DependencyIndex): boolean {
  const all = index.graph
    .edgesAt(provider, 'dependents')
    .filter(({ dependent }) => keyOf(dependent) === keyOf(edge.dependent));
  return all.some(({ code }) => FOLLOWING_CODES.has(code)) && !all.some(({ blocks }) => blocks);
}

function messageOf({ relation, provider, detail }: Edge): string {
  return `${relation} ${provider.kind}/${provider.name}${detail ? ` (${detail})` : ''}`;
}
