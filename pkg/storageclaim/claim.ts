import {
  Kinds,
  listAt,
  refOf,
  textAt,
  type KubeObject,
  type ObjectRef,
  type ResourceType,
} from '#pkg/object';
import { partOf, type Composite, type Part } from './composite.ts';

export const CLAIM: ResourceType = Kinds.StorageClaim;
export const CLAIM_FINALIZER = 'rook-deps.io/claim';

export interface Claim {
  readonly object: KubeObject;
  readonly ref: ObjectRef & { readonly namespace: string };
  readonly uid: string;
  readonly compositeName: string;
  readonly deletePolicy: 'Background' | 'Foreground';
  /** Of the composite that it has; absent while it has none. */
  readonly compositeUid?: string | undefined;
  /** What its composite was composed of when it was last seen: the composite may go before the claim. */
  readonly composed: readonly Part[];
  /** Of the Secret that was copied for it. */
  readonly connectionName?: string | undefined;
  /** What a foreground deletion still waits for. */
  readonly remaining: readonly Part[];
}

export function parseClaim(object: KubeObject): Claim {
  return {
    object,
    ref: { ...refOf(object), namespace: object.metadata.namespace ?? '' },
    uid: object.metadata.uid ?? '',
    compositeName: textAt(object, 'spec', 'compositeRef', 'name') ?? '',
    // Anything else than what was asked for would be more than was asked for.
    deletePolicy:
      textAt(object, 'spec', 'compositeDeletePolicy') === 'Foreground' ? 'Foreground' : 'Background',
    compositeUid: textAt(object, 'status', 'composite', 'uid'),
    composed: listAt(object, 'status', 'composite', 'resources').flatMap(partOf),
    connectionName: textAt(object, 'status', 'connection', 'secretName'),
    remaining: listAt(object, 'status', 'waitingFor').flatMap(partOf),
  };
}

export function compositeRefOf({ compositeName }: Claim): ObjectRef {
  const { group, kind } = Kinds.StorageComposite;
  return { group, kind, name: compositeName };
}

/** `mine`: bound to this very claim. `kept`: for a claim of this name. `other`: somebody else's. `free`: nobody's. */
export type Holder = 'mine' | 'kept' | 'other' | 'free';

export function holderOf({ claimRef }: Composite, { ref, uid }: Claim): Holder {
  if (!claimRef) return 'free';
  if (claimRef.namespace !== ref.namespace || claimRef.name !== ref.name) return 'other';
  if (claimRef.uid === undefined) return 'kept';
  return claimRef.uid === uid ? 'mine' : 'other';
}
