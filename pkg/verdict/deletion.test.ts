import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { anObject, aPool } from '#test/fixtures/objects.ts';
import { deletionOf, operatorState } from './deletion.ts';

const SINCE = '2026-11-12T16:03:27Z';
const ROOKS = 'cephblockpool.ceph.rook.io';

function operatorPod(status: unknown): KubeObject {
  return anObject(Kinds.Pod, 'rook-ceph-operator', { labels: { app: 'rook-ceph-operator' }, status });
}

describe('a deletion', () => {
  test('is not told of an object that nobody deletes', () => {
    expect(deletionOf(aPool('p', { finalizers: [ROOKS] }), 'Running')).toBeUndefined();
  });

  test('tells since when, by whom, and who put each finalizer there', () => {
    const pool = aPool('p', {
      deletionTimestamp: SINCE,
      finalizers: [ROOKS, 'example.com/guard'],
      managedFields: [
        { manager: 'kubectl', fieldsV1: { 'f:metadata': { 'f:labels': {} } } },
        {
          manager: 'rook',
          fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, [`v:"${ROOKS}"`]: {} } } },
        },
        { manager: 'cleaner', fieldsV1: { 'f:metadata': { 'f:deletionTimestamp': {} } } },
      ],
    });
    expect(deletionOf(pool, 'Running')).toEqual({
      requestedAt: SINCE,
      requestedBy: 'cleaner',
      finalizers: [{ name: ROOKS, manager: 'rook' }, { name: 'example.com/guard' }],
      conditions: [],
      operator: 'Running',
    });
  });

  test('speaks of the operator only when a finalizer is of Rook', () => {
    const pool = aPool('p', {
      deletionTimestamp: SINCE,
      finalizers: ['example.com/not-ceph.rook.io-at-all'],
    });
    expect(deletionOf(pool, 'NotFound')).not.toHaveProperty('operator');
  });

  test.for(['cephblockpool.ceph.rook.io', 'ceph.rook.io/disaster-protection'])(
    'takes the finalizer %s for one of Rook',
    (finalizer) => {
      const pool = aPool('p', { deletionTimestamp: SINCE, finalizers: [finalizer] });
      expect(deletionOf(pool, 'NotFound')?.operator).toBe('NotFound');
    },
  );

  test('keeps the conditions about deletion, and leaves out those of the daily work and the malformed', () => {
    const pool = aPool('p', {
      deletionTimestamp: SINCE,
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'PoolDeletionIsBlocked', status: 'True', reason: 'PoolNotEmpty', message: 'has images' },
          { type: 'DeletionIsBlocked', status: 'False' },
          { type: 'Deleting' },
          'Deleting',
        ],
      },
    });
    expect(deletionOf(pool, 'Running')?.conditions).toEqual([
      { type: 'PoolDeletionIsBlocked', status: 'True', reason: 'PoolNotEmpty', message: 'has images' },
      { type: 'DeletionIsBlocked', status: 'False' },
    ]);
  });

  test('survives managed fields of any shape', () => {
    const pool = aPool('p', {
      deletionTimestamp: SINCE,
      finalizers: [ROOKS],
      managedFields: [{}, { manager: 'x', fieldsV1: 'text' }] as never,
    });
    expect(deletionOf(pool, 'Running')?.finalizers).toEqual([{ name: ROOKS }]);
  });
});

describe('the operator', () => {
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
  const rows = [
    { name: 'no pod is there', pods: [], state: 'NotFound' },
    { name: 'its pod is ready', pods: [operatorPod(ready)], state: 'Running' },
    { name: 'one of two pods is ready', pods: [operatorPod({}), operatorPod(ready)], state: 'Running' },
    {
      name: 'its pod is not ready',
      pods: [operatorPod({ conditions: [{ type: 'Ready', status: 'False' }] })],
      state: 'NotRunning',
    },
    { name: 'its pod has no status', pods: [operatorPod(undefined)], state: 'NotRunning' },
  ];
  test.for(rows)('is $state when $name', ({ pods, state }) => {
    expect(operatorState(pods)).toBe(state);
  });
});
