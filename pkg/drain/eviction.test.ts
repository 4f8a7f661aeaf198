import { expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { aBudget } from '#test/fixtures/budgets.ts';
import { anObject } from '#test/fixtures/objects.ts';
import { evictionOf } from './eviction.ts';

const OSDS = { matchLabels: { app: 'rook-ceph-osd' } };

function anOsdPod(ready = 'True', phase = 'Running', namespace = 'rook-ceph'): KubeObject {
  return anObject(Kinds.Pod, 'osd', {
    namespace,
    labels: { app: 'rook-ceph-osd' },
    status: { phase, conditions: [{ type: 'Ready', status: ready }] },
  });
}

const none = aBudget('b', OSDS, { allowed: 0, needs: 3, has: 3 });
const short = aBudget('b', OSDS, { allowed: 0, needs: 3, has: 2 });

test.for([
  { name: 'without a budget', budgets: [], expected: 'free' },
  { name: 'with one for others', budgets: [aBudget('b', { matchLabels: { app: 'x' } })], expected: 'free' },
  { name: 'with one of another namespace', pod: anOsdPod('True', 'Running', 'x'), budgets: [none] },
  { name: 'with one that allows it', budgets: [aBudget('b', OSDS)], expected: 'allowed' },
  { name: 'with one that allows none', budgets: [none], expected: 'refused' },
  {
    name: 'with one that was made just now',
    budgets: [aBudget('b', OSDS, { allowed: undefined })],
    expected: 'uncounted',
  },
  {
    name: 'with one that was changed just now',
    budgets: [aBudget('b', OSDS, { generation: 2 })],
    expected: 'uncounted',
  },
  {
    name: 'with two, whatever they allow',
    budgets: [aBudget('a', OSDS), aBudget('b', {})],
    expected: 'broken',
  },
  {
    name: 'not ready, with one that has enough of others',
    pod: anOsdPod('False'),
    budgets: [none],
    expected: 'allowed',
  },
  {
    name: 'not ready, with one that lacks some',
    pod: anOsdPod('False'),
    budgets: [short],
    expected: 'refused',
  },
  {
    name: 'not ready, with one that counts the healthy alone',
    pod: anOsdPod('False'),
    budgets: [aBudget('b', OSDS, { allowed: 0, needs: 3, has: 2, policy: 'AlwaysAllow' })],
    expected: 'allowed',
  },
  {
    name: 'ready, with one that counts the healthy alone',
    budgets: [aBudget('b', OSDS, { allowed: 0, policy: 'AlwaysAllow' })],
    expected: 'refused',
  },
  { name: 'that never began', pod: anOsdPod('False', 'Pending'), budgets: [short] },
  { name: 'that has ended', pod: anOsdPod('False', 'Failed'), budgets: [short] },
  {
    name: 'that is ending',
    pod: { ...anOsdPod(), metadata: { ...anOsdPod().metadata, deletionTimestamp: '2026-11-18T00:00:00Z' } },
    budgets: [none, none],
  },
])('a pod $name', ({ pod = anOsdPod(), budgets, expected = 'free' }) => {
  expect(evictionOf(pod, budgets).kind).toBe(expected);
});

test('a refusal says what the budget counts', () => {
  expect(evictionOf(anOsdPod(), [short])).toMatchObject({ kind: 'refused', needs: 3, has: 2 });
});
