import {
  fieldAt,
  groupOf,
  isRecord,
  isTrueAt,
  Kinds,
  listAt,
  recordAt,
  refOf,
  textAt,
  type KubeObject,
  type ObjectRef,
  type ResourceType,
} from '#pkg/object';

export const COMPOSITE: ResourceType = Kinds.StorageComposite;
/** On every composed resource, with the name of its composite. */
export const COMPOSITE_LABEL = 'rook-deps.io/composite';
export const EVERY_NAMESPACE = '*';

/** One entry of a composite, as written. */
export interface Template {
  readonly name: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** An object that a composite is composed of, or was, as its status has it. */
export interface Part {
  /** Which template it came from. */
  readonly template: string;
  readonly apiVersion: string;
  readonly ref: ObjectRef;
  /** Absent until it was seen. */
  readonly uid?: string | undefined;
  readonly isReady: boolean;
  readonly message?: string | undefined;
}

/** Who has a composite. Without a UID the place is only kept for a claim of this name. */
export interface ClaimRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string | undefined;
}

export interface SecretRef {
  readonly namespace: string;
  readonly name: string;
}

export interface Composite {
  readonly object: KubeObject;
  readonly ref: ObjectRef;
  readonly uid: string;
  readonly templates: readonly Template[];
  readonly claimableFrom: readonly string[];
  readonly connectionSecret?: SecretRef | undefined;
  readonly claimRef?: ClaimRef | undefined;
  readonly parts: readonly Part[];
}

/** Reads a composite. What is malformed reads as absent; the schema keeps most of it out. */
export function parseComposite(object: KubeObject): Composite {
  return {
    object,
    ref: refOf(object),
    uid: object.metadata.uid ?? '',
    templates: listAt(object, 'spec', 'resources').map((entry) => ({
      name: textAt(entry, 'name') ?? '',
      content: recordAt(entry, 'template'),
    })),
    claimableFrom: listAt(object, 'spec', 'claimableFrom', 'namespaces').filter(
      (name) => typeof name === 'string',
    ),
    connectionSecret: placeOf(fieldAt(object, 'spec', 'connectionSecretRef')),
    claimRef: claimRefOf(fieldAt(object, 'spec', 'claimRef')),
    parts: listAt(object, 'status', 'resources').flatMap(partOf),
  };
}

/** An object that a status names. */
export function partOf(value: unknown): readonly Part[] {
  const apiVersion = textAt(value, 'apiVersion');
  const kind = textAt(value, 'kind');
  const name = textAt(value, 'name');
  if (!isRecord(value) || !apiVersion || !kind || !name) return [];
  const namespace = textAt(value, 'namespace');
  const ref = { group: groupOf(apiVersion), kind, name, ...(namespace ? { namespace } : {}) };
  return [
    {
      template: textAt(value, 'template') ?? '',
      apiVersion,
      ref,
      uid: textAt(value, 'uid'),
      isReady: isTrueAt(value, 'ready'),
      message: textAt(value, 'message'),
    },
  ];
}

/** As a status names it. */
export function partFields({ apiVersion, ref, uid }: Pick<Part, 'apiVersion' | 'ref' | 'uid'>): object {
  return {
    apiVersion,
    kind: ref.kind,
    ...(ref.namespace ? { namespace: ref.namespace } : {}),
    name: ref.name,
    ...(uid ? { uid } : {}),
  };
}

/** Whether claims of this namespace may have it. */
export function mayBeClaimedFrom({ claimableFrom }: Composite, namespace: string): boolean {
  return claimableFrom.includes(namespace) || claimableFrom.includes(EVERY_NAMESPACE);
}

/** Whether the garbage collector takes it down before its owner. */
export function isForeground({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes('foregroundDeletion') === true;
}

function placeOf(value: unknown): SecretRef | undefined {
  const namespace = textAt(value, 'namespace');
  const name = textAt(value, 'name');
  return namespace && name ? { namespace, name } : undefined;
}

function claimRefOf(value: unknown): ClaimRef | undefined {
  const place = placeOf(value);
  return place && { ...place, uid: textAt(value, 'uid') };
}
