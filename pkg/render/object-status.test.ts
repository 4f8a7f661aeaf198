import { expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { anObject, aPool } from '#test/fixtures/objects.ts';
import { objectStatus } from './object-status.ts';

const condition = (status: string): object => ({ conditions: [{ type: 'Ready', status }] });

const rows: { name: string; object: KubeObject; status: string }[] = [
  { name: 'a phase', object: aPool('p', { status: { phase: 'Ready' } }), status: 'Ready' },
  {
    name: 'a deletion, whatever the phase',
    object: aPool('p', { status: { phase: 'Ready' }, deletionTimestamp: '2026-11-12T16:03:27Z' }),
    status: 'Terminating',
  },
  {
    name: 'the replicas of a Deployment',
    object: anObject(Kinds.Deployment, 'd', { spec: { replicas: 3 }, status: { readyReplicas: 2 } }),
    status: '2/3 ready',
  },
  {
    name: 'no replica of a Deployment that names no number',
    object: anObject(Kinds.Deployment, 'd', { status: {} }),
    status: '0/1 ready',
  },
  {
    name: 'a Deployment scaled to nothing',
    object: anObject(Kinds.Deployment, 'd', { spec: { replicas: 0 } }),
    status: '0/0 ready',
  },
  {
    name: 'an attachment that is attached',
    object: anObject(Kinds.VolumeAttachment, 'a', { status: { attached: true } }),
    status: 'Attached',
  },
  {
    name: 'an attachment that is not yet',
    object: anObject(Kinds.VolumeAttachment, 'a', { status: { attached: false } }),
    status: 'Detached',
  },
  {
    name: 'a snapshot that can be used',
    object: anObject(Kinds.VolumeSnapshot, 's', { status: { readyToUse: true } }),
    status: 'Ready',
  },
  {
    name: 'a snapshot that cannot be used',
    object: anObject(Kinds.VolumeSnapshot, 's', { status: { readyToUse: false } }),
    status: 'NotReady',
  },
  { name: 'a condition Ready', object: aPool('p', { status: condition('True') }), status: 'Ready' },
  { name: 'a condition not Ready', object: aPool('p', { status: condition('False') }), status: 'NotReady' },
  { name: 'nothing', object: aPool('p'), status: '' },
  {
    name: 'a phase that writes to the screen',
    object: aPool('p', { status: { phase: '\u001b[31mReady' } }),
    status: '^[[31mReady',
  },
  { name: 'a status of the wrong shape', object: aPool('p', { status: ['Ready'] }), status: '' },
];
test.for(rows)('$name reads "$status"', ({ object, status }) => {
  expect(objectStatus(object)).toBe(status);
});
