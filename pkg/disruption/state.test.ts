import { expect, test } from 'vitest';
import { parseState, type DrainState } from '#pkg/drain';
import { stateObject } from './state.ts';

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
