import { describe, expect, test } from 'vitest';
import { MalformedReview, parseReview } from './parse-review.ts';
import { targetOf } from './request.ts';
import { aRequest, aReview } from './testing/reviews.ts';

const oldConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'shop' },
};

describe('a review', () => {
  test('is read whole', () => {
    expect(parseReview(aReview())).toEqual({
      uid: 'review-1',
      operation: 'DELETE',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'settings',
      namespace: 'shop',
      userInfo: {
        username: 'alice',
        uid: 'u1',
        groups: ['dev', 'system:authenticated'],
        extra: { scope: ['a'] },
      },
      dryRun: false,
      options: { propagationPolicy: 'Background' },
      oldObject: aRequest()['oldObject'],
    });
  });

  test('keeps preconditions and the dry run', () => {
    const options = { preconditions: { uid: 'u', resourceVersion: '7' }, gracePeriodSeconds: 0 };
    const request = parseReview(aReview({ dryRun: true, options }));
    expect(request).toMatchObject({ dryRun: true, options });
  });

  test.for([
    { orphanDependents: true, propagationPolicy: 'Orphan' },
    { orphanDependents: false, propagationPolicy: 'Background' },
  ])(
    'takes orphanDependents $orphanDependents for $propagationPolicy',
    ({ orphanDependents, propagationPolicy }) => {
      expect(parseReview(aReview({ options: { orphanDependents } })).options).toEqual({ propagationPolicy });
    },
  );

  test.for([
    { name: 'null', review: null },
    { name: 'a list', review: [] },
    { name: 'another kind', review: { ...aReview(), kind: 'Status' } },
    { name: 'another version', review: { ...aReview(), apiVersion: 'admission.k8s.io/v1beta1' } },
    { name: 'no request', review: { ...aReview(), request: undefined } },
    { name: 'no UID', review: aReview({ uid: '' }) },
  ])('is refused without a UID to answer to: $name', ({ review }) => {
    expect(() => parseReview(review)).toThrow(
      expect.objectContaining({ name: 'MalformedReview', uid: undefined }),
    );
  });

  test.for([
    { name: 'operation', changes: { operation: 'EAT' } },
    { name: 'kind', changes: { kind: 'ConfigMap' } },
    { name: 'resource', changes: { resource: null } },
    { name: 'user', changes: { userInfo: {} } },
    { name: 'object', changes: { object: 'text' } },
    { name: 'object without a name', changes: { oldObject: { ...oldConfigMap, metadata: {} } } },
    { name: 'labels', changes: { oldObject: { ...oldConfigMap, metadata: { name: 'x', labels: [1] } } } },
  ])('is refused under its UID for a wrong $name', ({ changes }) => {
    expect(() => parseReview(aReview(changes))).toThrow(MalformedReview);
    expect(() => parseReview(aReview(changes))).toThrow(expect.objectContaining({ uid: 'review-1' }));
  });

  test('survives odd types in fields that nobody needs', () => {
    const userInfo = { username: 'a', groups: 'x', extra: { k: 'v', l: [1, 'm'] } };
    const request = parseReview(aReview({ userInfo, options: [], dryRun: 'yes', name: 7 }));
    expect(request.userInfo).toEqual({ username: 'a', groups: [], extra: { k: [], l: ['m'] } });
    expect(request).toMatchObject({ dryRun: false, options: {} });
    expect(request).not.toHaveProperty('name');
  });

  test('of a CONNECT has no objects', () => {
    const request = parseReview(
      aReview({ operation: 'CONNECT', object: { kind: 'PodExecOptions' }, oldObject: null }),
    );
    expect(request.object).toBeUndefined();
  });
});

describe('the target', () => {
  test('of a deleted collection is named by the old object', () => {
    const request = parseReview(aReview({ name: undefined }));
    expect(targetOf(request)).toEqual({ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'settings' });
  });

  test('that is a Namespace is in none, though the request says so', () => {
    const kind = { group: '', version: 'v1', kind: 'Namespace' };
    const oldObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    const request = parseReview(aReview({ kind, name: 'shop', namespace: 'shop', oldObject }));
    expect(targetOf(request)).toEqual({ group: '', kind: 'Namespace', namespace: undefined, name: 'shop' });
  });

  test('without objects is what the request names', () => {
    const request = parseReview(aReview({ oldObject: null }));
    expect(targetOf(request)).toEqual({ group: '', kind: 'ConfigMap', namespace: 'shop', name: 'settings' });
  });
});
