import { expect, test } from 'vitest';
import { Kinds, ResourceTypes } from '#pkg/object';
import { deploymentObject } from '#test/fakes/critical-world.ts';
import { isRookOperator, operatorCriteria } from './operator.ts';

test('the operator is known by its name, or by the label of its pods', () => {
  const labelled = { spec: { template: { metadata: { labels: { app: 'rook-ceph-operator' } } } } };
  expect(isRookOperator(deploymentObject({ name: 'rook-ceph-operator' }))).toBe(true);
  expect(isRookOperator({ ...deploymentObject(), ...labelled })).toBe(true);
  expect(isRookOperator(deploymentObject({ name: 'rook-ceph-tools' }))).toBe(false);
});

test('its criteria are the finalizers of the Rook kinds that are installed, and of buckets', () => {
  const types = new ResourceTypes([Kinds.Pod, Kinds.CephNFS, Kinds.ObjectBucketClaim, Kinds.CephClient]);
  expect(operatorCriteria(types)).toEqual([
    {
      type: 'Finalizer',
      group: 'ceph.rook.io',
      resource: 'cephclients',
      finalizerName: 'cephclient.ceph.rook.io',
    },
    {
      type: 'Finalizer',
      group: 'ceph.rook.io',
      resource: 'cephnfses',
      finalizerName: 'cephnfs.ceph.rook.io',
    },
    {
      type: 'Finalizer',
      group: 'objectbucket.io',
      resource: 'objectbucketclaims',
      finalizerName: 'objectbucket.io/finalizer',
    },
  ]);
});
