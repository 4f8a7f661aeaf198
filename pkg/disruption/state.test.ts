import { expect, test } from 'vitest';
import { Kinds } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { NO_STATE, parseState, stateObject, type DisruptionState } from './state.ts';

const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u' },
};

test.for<DisruptionState>([
  NO_STATE,
  { type: 'zone', draining: '', noout: [] },
  { type: 'host', draining: 'a', noout: [{ domain: 'a', since: 5, phase: 'set' }] },
])('what is written is read again: %o', (state) => {
  expect(parseState(stateObject(state, OWNER))).toEqual(state);
});

test.for(['', '{', '[]', '{"noout":{}}', '{"draining":7,"noout":[{"domain":"a"}]}'])(
  'what somebody has broken reads as nothing: %s',
  (text) => {
    expect(parseState(anObject(Kinds.ConfigMap, 's', { data: { 'state.json': text } }))).toEqual(NO_STATE);
  },
);

test('no state is none', () => {
  expect(parseState(undefined)).toEqual(NO_STATE);
});
