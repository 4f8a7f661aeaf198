import { Kinds } from '#pkg/object';
import { byName } from './by-name.ts';

export const objectUserAccount = byName({
  code: 'RD006',
  title: 'A user that belongs to the account',
  relation: 'belongs to',
  reads: Kinds.CephObjectStoreUser,
  field: ['spec', 'accountRef', 'name'],
  target: Kinds.CephObjectStoreAccount,
  meaning: 'The user and what it owns are part of the account. Rook does not check for them.',
  remedy: ['Delete the user, or move it out of the account, before the account.'],
});
