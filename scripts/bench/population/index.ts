/** What the benchmark's API server holds: a Rook cluster with many volumes and those who use them. */
import type { ResourceType } from '#pkg/object';
import { CEPH_CLUSTER, cephResources, ROOK_NAMESPACE } from './ceph-resources.ts';
import { inParallel } from './parallel.ts';
import { appPod, clusterBelongings, createDaemon, DAEMONS } from './pods.ts';
import type { Create, Seed } from './seed.ts';
import { APP_NAMESPACES, claim, storageClasses, volume } from './volumes.ts';

export { MAIN_POOL, ROOK_NAMESPACE } from './ceph-resources.ts';
export { apiVersionOf, type Create, type Created, type Seed } from './seed.ts';

export interface Size {
  readonly volumes: number;
  /** Those of Ceph's daemons included. */
  readonly pods: number;
}

const NAMESPACE: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  singular: 'namespace',
  shortNames: [],
  namespaced: false,
};

/** Fills an empty server. The order is that of the references that need a UID. */
export async function populate(create: Create, size: Size, report: (line: string) => void): Promise<void> {
  const createAll = (seeds: readonly Seed[]): Promise<void> =>
    inParallel(seeds, async (seed) => void (await create(seed)));
  report('namespaces, classes and Ceph resources…');
  await createAll([ROOK_NAMESPACE, ...APP_NAMESPACES].map((name) => ({ type: NAMESPACE, name })));
  const cluster = await create(CEPH_CLUSTER);
  await createAll([...cephResources(), ...storageClasses(), ...clusterBelongings(cluster)]);
  report(`${size.volumes} volumes with their claims…`);
  await inParallel(
    upTo(size.volumes),
    async (at) => void (await create(volume(at, await create(claim(at))))),
  );
  report(`${size.pods} pods…`);
  await inParallel([...DAEMONS.entries()], ([at, daemon]) => createDaemon(create, cluster, daemon, at));
  await createAll(upTo(size.pods - DAEMONS.length).map(appPod));
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at);
}
