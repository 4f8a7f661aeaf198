import {
  fieldAt,
  isTrueAt,
  listAt,
  Kinds,
  recordAt,
  refOf,
  textAt,
  type KubeObject,
  type ObjectRef,
  type ResourceType,
} from '#pkg/object';
import { parseAttempts, type Attempt } from '#pkg/protection';

export const FINALIZER = 'rook-deps.io/usage';

export const USAGE: ResourceType = Kinds.Usage;
export const CLUSTER_USAGE: ResourceType = Kinds.ClusterUsage;

export interface Selector {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchControllerRef: boolean;
  readonly namespace?: string | undefined;
}

/** One side of a usage, as written. */
export interface Side {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly selector?: Selector | undefined;
}

export interface Usage {
  readonly object: KubeObject;
  readonly ref: ObjectRef;
  readonly of: Side;
  readonly by?: Side | undefined;
  readonly reason?: string | undefined;
  readonly replayDeletion: boolean;
  /** The UIDs that were seen, so that another object of the same name is told apart. */
  readonly usedUid?: string | undefined;
  /** Of the object that was seen; it has none if it is cluster-scoped. */
  readonly usedNamespace?: string | undefined;
  readonly usingUid?: string | undefined;
  readonly attempts: readonly Attempt[];
  /** Set when nothing holds the usage any more: from then on it holds nothing either. */
  readonly isReleased: boolean;
  /** When it was last looked for, the used object did not exist. */
  readonly isUsedMissing: boolean;
}

/** Reads a usage of either kind. What is malformed reads as absent; the schema keeps most of it out. */
export function parseUsage(object: KubeObject): Usage {
  const by = fieldAt(object, 'spec', 'by');
  return {
    object,
    ref: refOf(object),
    of: sideOf(fieldAt(object, 'spec', 'of')),
    by: by === undefined ? undefined : sideOf(by),
    reason: textAt(object, 'spec', 'reason'),
    replayDeletion: isTrueAt(object, 'spec', 'replayDeletion'),
    usedUid: textAt(object, 'status', 'of', 'uid'),
    usedNamespace: textAt(object, 'status', 'of', 'namespace'),
    usingUid: textAt(object, 'status', 'by', 'uid'),
    attempts: parseAttempts(object),
    isReleased: isTrueAt(object, 'status', 'released'),
    isUsedMissing: textAt(readyCondition(object), 'reason') === 'UsedNotFound',
  };
}

/** What was last found out about a usage. */
export function readyCondition(usage: KubeObject): unknown {
  return listAt(usage, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
}

function sideOf(value: unknown): Side {
  const selector = fieldAt(value, 'resourceSelector');
  return {
    apiVersion: textAt(value, 'apiVersion') ?? '',
    kind: textAt(value, 'kind') ?? '',
    name: textAt(value, 'resourceRef', 'name'),
    namespace: textAt(value, 'resourceRef', 'namespace'),
    selector: selector === undefined ? undefined : selectorOf(selector),
  };
}

function selectorOf(value: unknown): Selector {
  const labels = Object.entries(recordAt(value, 'matchLabels')).filter(
    ([, text]) => typeof text === 'string',
  );
  return {
    matchLabels: Object.fromEntries(labels) as Record<string, string>,
    matchControllerRef: isTrueAt(value, 'matchControllerRef'),
    namespace: textAt(value, 'namespace'),
  };
}
