import type { Clock } from '#pkg/clock';
import {
  isForbidden,
  isTerminating,
  type KubeObject,
  type ObjectKey,
  type ObjectRef,
  type ResourceTypes,
  type Writer,
} from '#pkg/object';
import type { RepeatPorts, Turns } from '#pkg/protection';
import type { CriticalService, Criterion } from './critical-service.ts';
import { summaryOf, type Standing } from './criteria.ts';
import { whyNot, type LivePorts } from './live-criteria.ts';
import { markAll, unmarkAll } from './marks.ts';
import { replay, type Due } from './replay.ts';
import { namespaceOf, nameOf, refTo, resourceName } from './resources.ts';
import { statusPatch, type Finding } from './status.ts';

export interface CriticalServicePorts extends LivePorts, RepeatPorts {
  /** As the server has them now. */
  allServices(signal: AbortSignal): Promise<readonly CriticalService[]>;
  /** How a criterion stands, as far as watches have told. */
  standing(criterion: Criterion): Standing;
  readonly writer: Writer;
  readonly clock: Clock;
}

export interface HoldingPorts extends CriticalServicePorts {
  readonly turns: Turns<ObjectKey>;
}

/** Marks what is critical, carries out what is due, and says how things stand. */
export async function secure(
  service: CriticalService,
  types: ResourceTypes,
  ports: HoldingPorts,
  signal: AbortSignal,
): Promise<Finding> {
  const standings = service.criteria.map((criterion) => ports.standing(criterion));
  const ref = refTo(service.provider, types);
  if (!ref) {
    const message = `the server has no ${resourceName(service.provider)}`;
    return { reason: 'UnknownResource', message, standings };
  }
  try {
    const provider = await ports.get(ref, signal);
    if (provider) await markAll(service, types, ports, signal);
    else await unmarkAll(service, types, ports, signal);
    const due = dueNow(service, ref, provider, isMet(service, standings));
    const replayed = await replay(service, due, ports, signal);
    return { ...stateOf(service, provider), standings, replay: replayed };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { reason: 'Forbidden', message: whyNot(error, resourceName(service.provider)), standings };
  }
}

/** With the best of efforts, what cannot be checked holds nothing. */
function isMet({ deletionPolicy }: CriticalService, standings: readonly Standing[]): boolean {
  const summary = summaryOf(standings);
  return summary === 'met' || (summary === 'unknown' && deletionPolicy === 'BestEffort');
}

/** The provider and its namespace when the criteria are met, the service itself when the provider is gone. */
function dueNow(
  service: CriticalService,
  ref: ObjectRef,
  provider: KubeObject | undefined,
  areMet: boolean,
): readonly Due[] {
  const namespace = namespaceOf(service);
  return [
    ...(provider && areMet ? [{ ref, resource: resourceName(service.provider) }] : []),
    ...(namespace && (areMet || !provider) ? [{ ref: namespace, resource: 'namespaces' }] : []),
    ...(provider ? [] : [{ ref: service.ref, resource: 'criticalservices.rook-deps.io' }]),
  ];
}

function stateOf(
  service: CriticalService,
  provider: KubeObject | undefined,
): Pick<Finding, 'reason' | 'message' | 'provider'> {
  if (!provider) return { reason: 'ProviderNotFound', message: `${nameOf(service.provider)} does not exist` };
  const seen = { kind: provider.kind, uid: provider.metadata.uid ?? '' };
  return isTerminating(provider)
    ? { reason: 'ProviderTerminating', message: 'the provider is being deleted', provider: seen }
    : { reason: 'Protected', message: '', provider: seen };
}

export async function conclude(
  service: CriticalService,
  finding: Finding,
  ports: HoldingPorts,
  signal: AbortSignal,
): Promise<void> {
  const status = statusPatch(service, finding, ports.clock.now());
  if (!status) return;
  const { uid, resourceVersion } = service.object.metadata;
  // An attempt that was recorded meanwhile must not be lost.
  const body = { metadata: 'attempts' in status ? { uid, resourceVersion } : { uid }, status };
  await ports.writer.patch(service.ref, { type: 'merge', body, subresource: 'status' }, signal);
}
