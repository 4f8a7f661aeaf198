import { deletionOrder, type Edge } from '#pkg/graph';
import {
  DESTROY_DATA,
  destroysData,
  isTrueAt,
  keyOf,
  Kinds,
  refOf,
  sameKind,
  textAt,
  type Gap,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
} from '#pkg/object';
import type { DependencyIndex } from '#pkg/rules';
import { reach, type Left, type OtherOwners, type Reached } from './reach.ts';
import { goesWithClaim, isReleased, isRetained } from './roles.ts';
import { usageEdges } from './usage-order.ts';

/** Something in the way of a plan. */
export interface Obstacle {
  readonly kind: 'data' | 'retained' | 'user' | 'owner' | 'protection' | 'contents';
  readonly object: ObjectRef;
  /** Why it is in the way, with the object it needs. */
  readonly message: string;
  readonly code: string;
}

export interface Step {
  readonly object: KubeObject;
  readonly action: 'delete' | 'await';
}

export interface Plan {
  readonly subjects: readonly KubeObject[];
  /** Leaves first. */
  readonly levels: readonly (readonly Step[])[];
  /** Go with their owners. */
  readonly owned: readonly KubeObject[];
  /** Stay, though what they are parts of goes. */
  readonly left: readonly Left[];
  readonly obstacles: readonly Obstacle[];
  /** What could not be looked at, and might be an obstacle. */
  readonly gaps: readonly Gap[];
  readonly notes: readonly string[];
}

export interface PlanOptions {
  readonly includeData: boolean;
  /** Whether what is owned loses its owner and stays. */
  readonly orphans?: boolean;
}

/** What it takes to delete the subjects, as far as Kubernetes knows. Pure: looks at nothing but the index. */
export function planTeardown(
  subjects: readonly KubeObject[],
  index: DependencyIndex,
  options: PlanOptions,
  others: OtherOwners = new Map(),
): Plan {
  const reached = reach(subjects, index, options, others);
  const usages = usageEdges(index, reached);
  const order = deletionOrder(
    reached.planned.values(),
    [...reached.edges, ...usages.edges].flatMap((edge) => betweenRoots(edge, reached)),
  );
  const levels = order.map((level) =>
    level.flatMap((ref) => stepOf(reached.planned.get(keyOf(ref)), reached, index)),
  );
  const retained = levels.flat().flatMap(({ object }) => retainedWithin(object, reached, index));
  return {
    subjects,
    levels,
    owned: [...reached.owned.values()].flatMap(({ ref }) => index.get(ref) ?? []),
    left: reached.left,
    obstacles: [...reached.obstacles, ...retained, ...awaitedForEver(subjects, reached), ...usages.obstacles],
    gaps: [],
    notes: [
      ...recreationNotes(subjects, index, reached),
      ...retentionNotes(levels.flat(), retained),
      ...levels.flat().flatMap(({ object }) => cleanupNotes(object)),
    ],
  };
}

function stepOf(ref: ObjectRef | undefined, reached: Reached, index: DependencyIndex): readonly Step[] {
  const object = ref && index.get(ref);
  if (!object) return [];
  const isSubject = reached.subjects.has(keyOf(ref));
  const hasClaim = index.graph
    .edgesAt(keyOf(ref), 'dependents')
    .some(({ dependent, relation }) => relation === 'is bound to' && reached.planned.has(keyOf(dependent)));
  const isDrivers = goesWithClaim(object) && (hasClaim || isReleased(object));
  return [{ object, action: !isSubject && isDrivers ? 'await' : 'delete' }];
}

/** A claim in the foreground waits for all parts of its composite, and one with another owner never goes. */
function awaitedForEver(subjects: readonly KubeObject[], { left }: Reached): readonly Obstacle[] {
  const composites = subjects.flatMap((subject) => {
    const isForeground = textAt(subject, 'spec', 'compositeDeletePolicy') === 'Foreground';
    const name = textAt(subject, 'spec', 'compositeRef', 'name');
    return sameKind(refOf(subject), Kinds.StorageClaim) && isForeground && name ? [name] : [];
  });
  return left.flatMap(({ ref, whole, otherOwner }) =>
    otherOwner && sameKind(whole, Kinds.StorageComposite) && composites.includes(whole.name)
      ? [{ kind: 'owner', object: ref, message: `is owned by ${otherOwner}, too`, code: 'RD030' } as const]
      : [],
  );
}

/** What needs an owned object needs its owner to stay: with it, the owned one goes. */
function betweenRoots(edge: Edge, { rootOf }: Reached): readonly Edge[] {
  const dependent = rootOf(keyOf(edge.dependent));
  const provider = rootOf(keyOf(edge.provider));
  return dependent && provider && keyOf(dependent) !== keyOf(provider)
    ? [{ ...edge, dependent, provider }]
    : [];
}

function recreationNotes(
  subjects: readonly KubeObject[],
  index: DependencyIndex,
  reached: Reached,
): readonly string[] {
  return subjects.flatMap((subject) => {
    const controller = subject.metadata.ownerReferences?.find((owner) => owner.controller === true);
    const isGoing = [...reached.planned.values()].some(
      (ref) => index.get(ref)?.metadata.uid === controller?.uid,
    );
    if (!controller || isGoing) return [];
    const owner = `${controller.kind}/${controller.name}`;
    return [
      `${subject.kind}/${subject.metadata.name} is controlled by ${owner}, which may make it anew: consider deleting that instead`,
    ];
  });
}

/** What a volume leaves in Ceph keeps the pool from going, when the volume is gone already. */
function retainedWithin(object: KubeObject, reached: Reached, index: DependencyIndex): readonly Obstacle[] {
  if (!isRetained(object)) return [];
  return index.graph
    .edgesAt(keyOf(refOf(object)), 'providers')
    .filter(({ provider, blocks }) => blocks && reached.rootOf(keyOf(provider)) !== undefined)
    .slice(0, 1)
    .map(({ provider, code }) => ({
      kind: 'retained',
      object: refOf(object),
      message: `leaves its data in ${provider.kind}/${provider.name} (policy Retain)`,
      code,
    }));
}

function retentionNotes(steps: readonly Step[], told: readonly Obstacle[]): readonly string[] {
  const retained = steps
    .filter(({ object }) => isRetained(object))
    .filter(({ object }) => !told.some((obstacle) => keyOf(obstacle.object) === keyOf(refOf(object))))
    .map(({ object }) => object.metadata.name);
  if (retained.length === 0) return [];
  return [`their data stays in Ceph, by their policy Retain: ${retained.join(', ')}`];
}

/** What Rook will do beyond what is asked for here. */
function cleanupNotes(object: KubeObject): readonly string[] {
  if (!sameKind(refOf(object), Kinds.CephCluster)) return [];
  const name = `CephCluster/${object.metadata.name}`;
  const isOverlooked = isTrueAt(object, 'spec', 'cleanupPolicy', 'allowUninstallWithVolumes');
  return [
    ...(destroysData(object)
      ? [`Rook DESTROYS all data of ${name} on its hosts (cleanupPolicy.confirmation: ${DESTROY_DATA})`]
      : []),
    ...(isOverlooked
      ? [`Rook deletes ${name} with the volumes in it (cleanupPolicy.allowUninstallWithVolumes: true)`]
      : []),
  ];
}

/** What tells an object from another one of its name, where it is known. */
export function identityOf(object: KubeObject): string | ObjectKey {
  return object.metadata.uid ?? keyOf(refOf(object));
}
