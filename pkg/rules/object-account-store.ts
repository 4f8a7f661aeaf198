import { Kinds } from '#pkg/object';
import { byName } from './by-name.ts';

export const objectAccountStore = byName({
  code: 'RD005',
  title: 'An account of the object store',
  relation: 'is an account of',
  reads: Kinds.CephObjectStoreAccount,
  field: ['spec', 'store'],
  target: Kinds.CephObjectStore,
  meaning: 'A CephObjectStoreAccount owns users and buckets in the store. Rook does not check for accounts.',
  remedy: ['Make sure nobody needs the account, then delete it and its users before the store.'],
});
