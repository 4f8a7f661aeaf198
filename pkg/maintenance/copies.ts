import type { CephPool } from '#pkg/ceph';

/** The pools that placement groups are of. */
export function poolsKeeping(groups: readonly string[], pools: readonly CephPool[]): readonly CephPool[] {
  const ids = new Set(groups.map((group) => Number.parseInt(group, 10)));
  return pools.filter(({ id }) => ids.has(id));
}
