import {
  keyOf,
  Kinds,
  listAt,
  refOf,
  textAt,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
} from '#pkg/object';
import type { Outcome } from '#pkg/runtime';
import {
  claimReconciler,
  compositeReconciler,
  type Departed,
  type StorageClaimPorts,
} from '#pkg/storageclaim';
import { anObject, type Parts } from '../fixtures/objects.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeCluster } from './fake-cluster.ts';

const { signal } = new AbortController();
export const CLAIM_FINALIZERS = ['rook-deps.io/claim'];
export const DELETED = { deletionTimestamp: '2029-12-31T23:59:00.000Z' };

export function configMap(name: string, parts: Parts = {}): KubeObject {
  return anObject(Kinds.ConfigMap, name, { namespace: 'here', ...parts });
}

export function template(name: string, content: object = {}): object {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'here' }, ...content };
  return { name, template: object };
}

export function aComposite(resources: readonly object[], spec: object = {}, parts: Parts = {}): KubeObject {
  return anObject(Kinds.StorageComposite, 'whole', {
    uid: 'whole-uid',
    ...parts,
    spec: { resources, claimableFrom: { namespaces: ['here'] }, ...spec },
  });
}

export function aClaim(spec: object = {}, parts: Parts = {}): KubeObject {
  return anObject(Kinds.StorageClaim, 'mine', {
    namespace: 'here',
    uid: 'mine-uid',
    ...parts,
    spec: { compositeRef: { name: 'whole' }, ...spec },
  });
}

export const CLAIM_REF = { namespace: 'here', name: 'mine', uid: 'mine-uid' };

/** The reference that a part has to its composite. */
export function ownedBy(uid = 'whole-uid', name = 'whole'): Parts {
  const owner = { apiVersion: 'rook-deps.io/v1alpha1', kind: 'StorageComposite', name, uid };
  return { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] };
}

/** How a status lists a part. */
export function listed(name: string, uid = `uid-of-${name}`): object {
  return { template: name, apiVersion: 'v1', kind: 'ConfigMap', namespace: 'here', name, uid, ready: true };
}

/** Composites and claims on a cluster that forgets nothing. */
export class StorageWorld {
  readonly clock = new FakeClock();
  readonly cluster: FakeCluster;
  readonly ports: StorageClaimPorts;
  /** As the watch has them. */
  readonly departed = new Map<ObjectKey, Departed>();

  constructor(...objects: readonly KubeObject[]) {
    this.cluster = new FakeCluster(this.clock.now, objects);
    this.ports = {
      get: this.cluster.get,
      types: () => Promise.resolve(this.cluster.types),
      writer: this.cluster.writer,
      departed: {
        get: (ref) => this.departed.get(keyOf(ref)),
        forget: (ref) => void this.departed.delete(keyOf(ref)),
      },
      clock: this.clock,
    };
  }

  reconcile(object: KubeObject): Promise<Outcome> {
    const make = object.kind === 'StorageClaim' ? claimReconciler : compositeReconciler;
    return make(this.ports).reconcile(refOf(object), signal);
  }

  at(object: KubeObject): KubeObject | undefined {
    return this.cluster.at(refOf(object));
  }

  /** `verb Kind/name` of all that was written. */
  get writes(): readonly string[] {
    return this.cluster.writes.map(({ verb, key, isStatus }) => {
      const [, kind = '', , name = ''] = key.split('/');
      return `${verb}${isStatus ? ' status of' : ''} ${kind}/${name}`;
    });
  }

  condition(object: KubeObject, type: 'Ready' | 'Synced'): string {
    const conditions = listAt(this.at(object), 'status', 'conditions');
    const found = conditions.find((condition) => textAt(condition, 'type') === type);
    return [textAt(found, 'status'), textAt(found, 'reason'), textAt(found, 'message')]
      .filter(Boolean)
      .join(' ');
  }

  drop(ref: ObjectRef): void {
    this.cluster.drop(ref);
  }
}
