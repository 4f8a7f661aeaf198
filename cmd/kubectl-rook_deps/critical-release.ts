import { CRITICAL_SERVICE, providesFor, type CriticalService } from '#pkg/criticalservice';
import { refOf, type KubeObject } from '#pkg/object';
import { listCriticalServices } from './critical-services.ts';
import type { DryRun } from './dry-run.ts';
import type { Cluster } from './wiring.ts';

/** The critical services that keep an object; none where there cannot be any. */
export async function servicesFor(
  object: KubeObject,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly CriticalService[]> {
  const types = await cluster.reader.types(signal);
  if (!types.find(CRITICAL_SERVICE)) return [];
  const services = await listCriticalServices(cluster, signal);
  return services.filter((service) => providesFor(service, object, types));
}

/** Deletes a service whose provider stays: that is what the policy Orphan is for. */
export async function orphan(
  { object }: CriticalService,
  dryRun: DryRun,
  { writer }: Cluster,
  signal: AbortSignal,
): Promise<void> {
  if (dryRun === 'client') return;
  const { uid } = object.metadata;
  const body = { metadata: { uid }, spec: { deletionPolicy: 'Orphan' } };
  await writer.patch(refOf(object), { type: 'merge', body, dryRun: dryRun === 'server' }, signal);
  // The policy of a dry run is not kept, so its deletion would be refused.
  if (dryRun === 'none') await writer.delete(refOf(object), { uid }, signal);
}
