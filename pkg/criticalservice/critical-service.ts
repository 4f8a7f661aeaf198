import {
  fieldAt,
  isTrueAt,
  Kinds,
  listAt,
  refOf,
  sameKind,
  textAt,
  type GroupKind,
  type KubeObject,
  type ObjectRef,
  type ResourceType,
} from '#pkg/object';
import { parseAttempts, type Attempt } from '#pkg/protection';

export const CRITICAL_LABEL = 'rook-deps.io/critical';
export const FINALIZER = 'rook-deps.io/critical-service';
export const CRITICAL_SERVICE: ResourceType = Kinds.CriticalService;
/** With it all services would go, and with them what they keep. */
export const DEFINITION: ObjectRef = {
  group: 'apiextensions.k8s.io',
  kind: 'CustomResourceDefinition',
  name: `${CRITICAL_SERVICE.plural}.${CRITICAL_SERVICE.group}`,
};

export function isServiceKind(kind: GroupKind): boolean {
  return sameKind(kind, CRITICAL_SERVICE);
}

/** A resource as people write it: the plural, or any other name that kubectl takes. */
export interface Resource {
  readonly group: string;
  readonly resource: string;
}

/** One object of a resource. */
export interface Named extends Resource {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export type Criterion =
  | ({ readonly type: 'Finalizer'; readonly finalizerName: string } & Resource)
  | ({ readonly type: 'SpecificResource' } & Named);

export type DeletionPolicy = 'Strict' | 'BestEffort' | 'Orphan';

/** A deletion that was refused for its sake. */
export interface Refusal {
  readonly time: string;
  readonly user: string;
  readonly object: string;
}

export interface CriticalService {
  readonly object: KubeObject;
  readonly ref: ObjectRef;
  readonly provider: Named;
  readonly criteria: readonly Criterion[];
  readonly deletionPolicy: DeletionPolicy;
  readonly replayDeletion: boolean;
  /** Of the provider at the last look; undefined when there was none. */
  readonly providerUid?: string | undefined;
  /** Of the last provider that there was: another one under its name is told apart. */
  readonly seenUid?: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly lastRefusal?: Refusal | undefined;
  /** Set when it may go: from then on it holds nothing. */
  readonly isReleased: boolean;
}

/** What is malformed reads as absent; the schema keeps most of it out. */
export function parseCriticalService(object: KubeObject): CriticalService {
  const providerUid = textAt(object, 'status', 'provider', 'uid');
  return {
    object,
    ref: refOf(object),
    provider: namedOf(fieldAt(object, 'spec', 'provider')),
    criteria: listAt(object, 'spec', 'criteria').flatMap(criterionOf),
    deletionPolicy: policyOf(textAt(object, 'spec', 'deletionPolicy')),
    replayDeletion: isTrueAt(object, 'spec', 'replayDeletion'),
    providerUid,
    seenUid: providerUid ?? textAt(object, 'status', 'provider', 'lastUid'),
    attempts: parseAttempts(object),
    lastRefusal: refusalOf(fieldAt(object, 'status', 'lastRefusal')),
    isReleased: isTrueAt(object, 'status', 'released'),
  };
}

function resourceOf(value: unknown): Resource {
  return { group: textAt(value, 'group') ?? '', resource: textAt(value, 'resource') ?? '' };
}

function namedOf(value: unknown): Named {
  const namespace = textAt(value, 'namespace');
  return { ...resourceOf(value), ...(namespace ? { namespace } : {}), name: textAt(value, 'name') ?? '' };
}

function criterionOf(value: unknown): readonly Criterion[] {
  const finalizer = fieldAt(value, 'finalizer');
  const specific = fieldAt(value, 'specificResource');
  switch (textAt(value, 'type')) {
    case 'Finalizer':
      return [
        {
          type: 'Finalizer',
          ...resourceOf(finalizer),
          finalizerName: textAt(finalizer, 'finalizerName') ?? '',
        },
      ];
    case 'SpecificResource':
      return [{ type: 'SpecificResource', ...namedOf(specific) }];
    default:
      return [];
  }
}

/** Anything else than a known word holds best. */
function policyOf(text: string | undefined): DeletionPolicy {
  return text === 'BestEffort' || text === 'Orphan' ? text : 'Strict';
}

function refusalOf(value: unknown): Refusal | undefined {
  const time = textAt(value, 'time');
  return time
    ? { time, user: textAt(value, 'user') ?? '', object: textAt(value, 'object') ?? '' }
    : undefined;
}
