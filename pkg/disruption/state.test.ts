import { expect, test } from 'vitest';
import { parseState, type DrainState } from '#pkg/drain';
import { sameState, stateObject } from './state.ts';

const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u' },
};

test.for<DrainState>([
  { noout: [] },
  { type: 'zone', draining: '', noout: [] },
  { type: 'host', draining: 'a', noout: [{ domain: 'a', since: 5, phase: 'set' }] },
])('what is written is read again: %o', (state) => {
  expect(parseState(stateObject(state, OWNER))).toEqual(state);
});

test('it goes with the cluster, and bears our mark', () => {
  expect(stateObject({ noout: [] }, OWNER).metadata).toEqual({
    name: 'rook-deps-disruption',
    namespace: 'rook-ceph',
    labels: { 'app.kubernetes.io/managed-by': 'rook-deps', 'rook-deps.io/budget': 'state' },
    ownerReferences: [OWNER.reference],
  });
});

test('each part of it counts', () => {
  const noout = [{ domain: 'a', since: 5, phase: 'set' as const }];
  const state: DrainState = { type: 'host', draining: 'a', noout };
  expect(sameState(state, { ...state, noout: [...noout] })).toBe(true);
  const others: readonly DrainState[] = [
    { ...state, type: 'zone' },
    { ...state, draining: '' },
    { type: 'host', noout },
    { ...state, noout: [] },
    { ...state, noout: noout.map((record) => ({ ...record, phase: 'expired' })) },
  ];
  for (const other of others) expect(sameState(state, other)).toBe(false);
});
