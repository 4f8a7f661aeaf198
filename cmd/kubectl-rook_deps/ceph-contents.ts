import {
  adminOps,
  askedCeph,
  limitedCeph,
  preferredCeph,
  skippedCeph,
  type Bound,
  type CephContents,
} from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import type { CephMode } from './ceph-mode.ts';
import { cephWays, type CephWays } from './ceph.ts';

/** Less than the webhook has: it also looks at the cluster, and has to say that Ceph is silent. */
const LIMIT_MS = 14_000;

/** What the controller is told of the contents of Rook's resources, and at what price. */
export function contentsReader(mode: CephMode, ways: CephWays, bound: Bound, clock: Clock): CephContents {
  if (mode === 'off') return skippedCeph();
  const cephOf = cephWays(ways, bound);
  const asked = askedCeph({
    reader: ways.reader,
    cephOf: (cluster) => (cluster ? cephOf(cluster) : undefined),
    adminOps: adminOps(clock.now),
    isInCluster: ways.conf === undefined,
  });
  const limited = limitedCeph(asked, LIMIT_MS);
  return mode === 'prefer' ? preferredCeph(limited) : limited;
}
