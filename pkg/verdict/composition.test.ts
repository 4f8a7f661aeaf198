import { expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { aFilesystem, anObject } from '#test/fixtures/objects.ts';
import { gatherComposition } from './composition.ts';

const { signal } = new AbortController();
const claim = anObject(Kinds.StorageClaim, 'c', { spec: { compositeRef: { name: 's' } } });
const part = { apiVersion: 'ceph.rook.io/v1', kind: 'CephFilesystem', name: 'fs', namespace: 'rook-ceph' };
const composite = anObject(Kinds.StorageComposite, 's', {
  uid: '1',
  spec: {
    claimRef: {
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'StorageClaim',
      namespace: 'rook-ceph',
      name: 'c',
    },
  },
  status: { resources: [part, { ...part, name: 'missing' }] },
});
const fs = aFilesystem('fs', {
  ownerReferences: [
    { apiVersion: 'rook-deps.io/v1alpha1', kind: 'StorageComposite', name: 's', uid: '1', controller: true },
  ],
});

const reader = (objects: readonly KubeObject[]) => ({
  get: (kind: { readonly kind: string }, _namespace: string | undefined, name: string) =>
    Promise.resolve(objects.find((object) => object.kind === kind.kind && object.metadata.name === name)),
});

test('a claim leads to its composite and on to what that is composed of', async () => {
  const found = await gatherComposition(reader([claim, composite, fs]), [claim], 'dependents', signal);
  expect(found).toEqual({ items: [composite, fs], gaps: [] });
});

test('a composed resource leads up to its composite and on to the claim', async () => {
  const found = await gatherComposition(reader([claim, composite, fs]), [fs], 'providers', signal);
  expect(found).toEqual({ items: [composite, claim], gaps: [] });
});

test('a circle is followed once', async () => {
  const selfish = anObject(Kinds.StorageComposite, 's', {
    status: { resources: [{ apiVersion: 'rook-deps.io/v1alpha1', kind: 'StorageComposite', name: 's' }] },
  });
  expect(await gatherComposition(reader([selfish]), [selfish], 'dependents', signal)).toEqual({
    items: [],
    gaps: [],
  });
});

test('what may not be read is a gap', async () => {
  const refusing = { get: () => Promise.reject(new Error('forbidden: not yours')) };
  const { gaps } = await gatherComposition(refusing, [claim], 'dependents', signal);
  expect(gaps.map(({ gap }) => gap)).toEqual([
    { what: 'StorageComposite s', reason: 'forbidden: not yours' },
  ]);
});
