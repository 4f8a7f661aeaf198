import { describe, expect, test } from 'vitest';
import { KNOWN_TYPES, ResourceTypes, type KubeObject } from '#pkg/object';
import { POOLS, PROVIDER, serviceObject } from '#test/fakes/critical-world.ts';
import { parseCriticalService, type CriticalService, type Criterion } from './critical-service.ts';
import {
  additionTo,
  madeBefore,
  newCriticalService,
  type NewCriticalService,
} from './new-critical-service.ts';

const TYPES = new ResourceTypes(KNOWN_TYPES);
const FINALIZER: Criterion = { type: 'Finalizer', ...POOLS.finalizer };
const OBJECT: Criterion = {
  type: 'SpecificResource',
  group: 'ceph.rook.io',
  resource: 'cephclusters',
  namespace: 'here',
  name: 'ceph',
};

function wish(parts: Partial<NewCriticalService> = {}): NewCriticalService {
  return { provider: PROVIDER, kind: 'Deployment', criteria: [FINALIZER], ...parts };
}

function nameOf(provider: Partial<NewCriticalService['provider']>): string {
  return newCriticalService(wish({ provider: { ...PROVIDER, ...provider } })).metadata.name;
}

function service(spec: object = {}, name = 'service'): CriticalService {
  return parseCriticalService(serviceObject(spec, { name }));
}

describe('the name of a service', () => {
  test('says what it keeps, and is no other’s', () => {
    const names = [
      nameOf({ namespace: 'rook-ceph', name: 'operator' }),
      nameOf({ namespace: 'rook', name: 'ceph-operator' }),
      nameOf({ namespace: 'rook', name: 'ceph.operator' }),
      nameOf({ namespace: 'rook-ceph', name: 'operator', group: 'other.example' }),
    ];
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^deployment-rook-ceph-operator-[0-9a-f]{8}$/);
  });

  test('fits into a label', () => {
    expect(nameOf({ name: 'a'.repeat(253) })).toHaveLength(63);
  });
});

describe('a service that was made before', () => {
  const own = newCriticalService(wish()).metadata.name;

  test.for([own, 'deployment-here-server'])('is found under the name %s', (name) => {
    expect(madeBefore(wish(), [service({}, 'other'), service({}, name)], TYPES)?.ref.name).toBe(name);
  });

  test('is found where its provider is named by its kind', () => {
    const one = service({ provider: { ...PROVIDER, resource: 'Deployment' } }, own);
    expect(madeBefore(wish(), [one], TYPES)).toBe(one);
  });

  test('is not one of another provider, nor one that somebody made under a name of their own', () => {
    const elsewhere = service({ provider: { ...PROVIDER, name: 'other' } }, 'deployment-here-server');
    expect(madeBefore(wish(), [elsewhere, service()], TYPES)).toBeUndefined();
  });
});

describe('a wish', () => {
  test('adds its criteria to those that are there, as they are written', () => {
    const odd = { type: 'Finalizer', finalizer: { ...POOLS.finalizer, resource: 'CephBlockPool' } };
    const added = additionTo(service({ criteria: [odd] }), wish({ criteria: [FINALIZER, OBJECT] }), TYPES);
    const { type, ...specificResource } = OBJECT;
    expect(added).toEqual({ criteria: [odd, { type, specificResource }] });
  });

  test('changes nothing when all of it is there, and leaves policy and replay alone', () => {
    const spec = { deletionPolicy: 'BestEffort', replayDeletion: true };
    expect(additionTo(service(spec), wish(), TYPES)).toBeUndefined();
  });

  test('changes policy and replay where it says so', () => {
    const spec = { deletionPolicy: 'BestEffort', replayDeletion: true };
    const changed = additionTo(
      service(spec),
      wish({ deletionPolicy: 'Strict', replayDeletion: false }),
      TYPES,
    );
    expect(changed).toEqual({ deletionPolicy: 'Strict', replayDeletion: false });
  });

  test('is written as it is where there is none', () => {
    const made: KubeObject = newCriticalService(wish({ criteria: [FINALIZER], replayDeletion: true }));
    expect(made['spec']).toEqual({ provider: PROVIDER, criteria: [POOLS], replayDeletion: true });
  });
});
