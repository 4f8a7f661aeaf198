import { lookAgain, waitForChange, type Outcome } from '#pkg/runtime';
import { FINALIZER, parseCriticalService, type CriticalService } from './critical-service.ts';
import { conclude, secure, type HoldingPorts } from './holding.ts';
import { unmarkAll } from './marks.ts';
import { whyServiceStays } from './provider.ts';
import { replay } from './replay.ts';
import { ANY_TYPE, namespaceOf, nameOf } from './resources.ts';

const FORCE_DELETE_ANNOTATION = 'rook-deps.io/force-delete';
const DOUBT_MS = 10_000;

/**
 * Lets a deleted service go. The webhook has let it be deleted because it may go; where nobody asked the webhook, it
 * stays, and keeps what it kept, until it may: set `spec.deletionPolicy` to change that.
 */
export async function release(
  service: CriticalService,
  ports: HoldingPorts,
  signal: AbortSignal,
): Promise<Outcome> {
  if (!service.object.metadata.finalizers?.includes(FINALIZER)) return waitForChange;
  const types = await ports.types(ANY_TYPE, signal);
  const stays = isForced(service) ? undefined : await whyServiceStays(service, ports, signal);
  if (stays && !service.isReleased) {
    const finding = await secure(service, types, ports, signal);
    const message = `${nameOf(service.provider)} ${stays.why}`;
    await conclude(service, { ...finding, reason: 'WaitingForProvider', message }, ports, signal);
    // Of what could not be read, no change may ever be told.
    return stays.isDoubt ? lookAgain(DOUBT_MS) : waitForChange;
  }
  const released = await markReleased(service, ports, signal);
  if (!released) return waitForChange;
  await unmarkAll(released, types, ports, signal);
  await replayNamespace(released, ports, signal);
  await removeFinalizer(released, ports, signal);
  return waitForChange;
}

/** Whoever may annotate it may as well set its policy to Orphan. */
function isForced({ object }: CriticalService): boolean {
  return Boolean(object.metadata.annotations?.[FORCE_DELETE_ANNOTATION]);
}

/** Written before the first side effect: from here on the webhook does not count the service. */
async function markReleased(
  service: CriticalService,
  { writer }: HoldingPorts,
  signal: AbortSignal,
): Promise<CriticalService | undefined> {
  if (service.isReleased) return service;
  const body = { metadata: { uid: service.object.metadata.uid }, status: { released: true } };
  const changed = await writer.patch(service.ref, { type: 'merge', body, subresource: 'status' }, signal);
  return changed && parseCriticalService(changed);
}

/** A namespace whose deletion was refused goes as well; an orphaned provider stays, and so does its namespace. */
async function replayNamespace(
  service: CriticalService,
  ports: HoldingPorts,
  signal: AbortSignal,
): Promise<void> {
  const namespace = namespaceOf(service);
  if (!namespace || service.deletionPolicy === 'Orphan' || isForced(service)) return;
  await replay(service, [{ ref: namespace, resource: 'namespaces' }], ports, signal);
}

async function removeFinalizer(
  service: CriticalService,
  { writer }: HoldingPorts,
  signal: AbortSignal,
): Promise<void> {
  const { finalizers = [], uid, resourceVersion } = service.object.metadata;
  const left = finalizers.filter((name) => name !== FINALIZER);
  const body = { metadata: { uid, resourceVersion, finalizers: left } };
  await writer.patch(service.ref, { type: 'merge', body }, signal);
}
