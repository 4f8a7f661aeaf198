import { Kinds } from '#pkg/object';
import type { EdgeScenario } from '../cluster/edge-scenarios.ts';
import { served } from '../fixtures/served-objects.ts';

const client = (ns: string, cephPool: string): object =>
  served(Kinds.CephClient, 'c', ns, { caps: { osd: `profile rbd pool=other, allow rwx pool=${cephPool}` } });
const nfs = (ns: string, cephPool: string): object =>
  served(Kinds.CephNFS, 'n', ns, { rados: { pool: cephPool, namespace: 'n' } });

/** What the second point of the summary says of each kind that makes pools, and no edge of the catalogue asks. */
export const SUMMARY_SCENARIOS: readonly EdgeScenario[] = [
  {
    edge: 'summary 2',
    name: 'an NFS server and a client hold the filesystem whose pool they use',
    objects: (ns) => [served(Kinds.CephFilesystem, 'fs', ns), nfs(ns, 'fs-metadata'), client(ns, 'fs-data0')],
    ask: () => 'cephfs/fs',
    causes: () => ['RD015 CephNFS/n', 'RD017 CephClient/c'],
  },
  {
    edge: 'summary 2',
    name: 'an NFS server and a client hold the store whose pool they use',
    objects: (ns) => [
      served(Kinds.CephObjectStore, 's', ns, {
        metadataPool: { replicated: { size: 3 } },
        dataPool: { replicated: { size: 3 } },
      }),
      nfs(ns, 's.rgw.log'),
      client(ns, 's.rgw.buckets.data'),
    ],
    ask: () => 'cephos/s',
    causes: () => ['RD015 CephNFS/n', 'RD017 CephClient/c'],
  },
  {
    edge: 'summary 2',
    name: 'an NFS server and a client hold the zone whose pool they use',
    objects: (ns) => [
      served(Kinds.CephObjectZone, 'z', ns, { zoneGroup: 'g' }),
      nfs(ns, 'z.rgw.log'),
      client(ns, 'z.rgw.buckets.data'),
    ],
    ask: () => 'cephoz/z',
    causes: () => ['RD015 CephNFS/n', 'RD017 CephClient/c'],
  },
];
