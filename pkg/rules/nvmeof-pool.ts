import { Kinds, refOf, textAt } from '#pkg/object';
import type { Rule } from './rule.ts';

/** Rook 1.20 takes the pool from the spec; where the field is not there, the pool is `.nvmeof`. */
export const nvmeofPool: Rule = {
  code: 'RD016',
  title: 'An NVMe-oF gateway that keeps its state in the pool',
  relation: 'keeps its state in',
  blocks: true,
  reads: [Kinds.CephNVMeOFGateway],
  targets: [Kinds.CephBlockPool],
  meaning:
    'A CephNVMeOFGateway stores its subsystems and namespaces in a pool: the one of spec.pool, or .nvmeof. Without ' +
    'it the hosts lose their disks.',
  remedy: ['Make sure no host uses the gateway, then delete it, before the pool.'],
  *references(gateway, lookup) {
    const chosen = textAt(gateway, 'spec', 'pool');
    for (const owner of lookup.poolOwners(gateway.metadata.namespace ?? '', chosen ?? '.nvmeof')) {
      if (owner.kind !== 'CephBlockPool') continue;
      yield chosen ? { to: refOf(owner), field: 'spec.pool' } : { to: refOf(owner), detail: 'pool .nvmeof' };
    }
  },
};
