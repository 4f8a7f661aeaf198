import { isTerminating, type ObjectKey, type ObjectRef } from '#pkg/object';
import { Turns } from '#pkg/protection';
import { lookAgain, waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { FINALIZER, parseCriticalService, type CriticalService } from './critical-service.ts';
import { conclude, secure, type CriticalServicePorts, type HoldingPorts } from './holding.ts';
import { release } from './release.ts';
import { ANY_TYPE, nameOf } from './resources.ts';
import type { Finding } from './status.ts';

/** When a deletion that is due was refused, for another reason than ours. */
const REFUSED_AGAIN_MS = 10_000;

/** Keeps the provider marked for as long as it is there, says how the criteria stand, and carries out what is due. */
export function criticalServiceReconciler(
  given: CriticalServicePorts,
  turns = new Turns<ObjectKey>(),
): Reconciler<ObjectRef> {
  const ports: HoldingPorts = { ...given, turns };
  return {
    async reconcile(ref, signal) {
      const object = await ports.get(ref, signal);
      if (!object) return waitForChange;
      const service = parseCriticalService(object);
      return isTerminating(object) ? release(service, ports, signal) : hold(service, ports, signal);
    },
  };
}

async function hold(written: CriticalService, ports: HoldingPorts, signal: AbortSignal): Promise<Outcome> {
  // Finalizer first: a crash after the mark alone would leave a mark that nobody removes.
  const service = await addFinalizer(written, ports, signal);
  if (!service) return waitForChange;
  const types = await ports.types(ANY_TYPE, signal);
  const finding = await secure(service, types, ports, signal);
  await announce(service, finding, ports, signal);
  await conclude(service, finding, ports, signal);
  return finding.replay?.reason === 'Refused' ? lookAgain(REFUSED_AGAIN_MS) : waitForChange;
}

async function addFinalizer(
  service: CriticalService,
  { writer }: HoldingPorts,
  signal: AbortSignal,
): Promise<CriticalService | undefined> {
  const { finalizers = [], uid, resourceVersion } = service.object.metadata;
  if (finalizers.includes(FINALIZER)) return service;
  const body = { metadata: { uid, resourceVersion, finalizers: [...finalizers, FINALIZER] } };
  const changed = await writer.patch(service.ref, { type: 'merge', body }, signal);
  return changed && parseCriticalService(changed);
}

/** Another object under the provider's name is kept as the first was; people should know. */
async function announce(
  service: CriticalService,
  { provider }: Finding,
  ports: HoldingPorts,
  signal: AbortSignal,
): Promise<void> {
  const before = service.seenUid;
  if (!provider || before === undefined || before === provider.uid) return;
  const note = `${nameOf(service.provider)} was made anew (UID ${before}, now ${provider.uid}) and is kept as before.`;
  await ports.record(service.object, 'ProviderAdopted', note, signal);
}
