import type { AnswerCause, Deletion, DeletionGuard, Objection } from '#pkg/admission';
import { refOf, type KubeObject } from '#pkg/object';
import { attemptOf, type Attempt } from '#pkg/protection';
import { isServiceKind, parseCriticalService, type CriticalService } from './critical-service.ts';
import { isDefinition, losing } from './definition.ts';
import type { Standing } from './criteria.ts';
import { lookAt, type LivePorts } from './live-criteria.ts';
import { findProvider, whyServiceStays } from './provider.ts';
import { isNamedBy, nameOf } from './resources.ts';

export interface CriticalGuardPorts extends LivePorts {
  /** What is known already: may be late. */
  readonly cache: {
    services(): Iterable<CriticalService>;
    hasProvider(service: CriticalService): boolean;
    standing(criterion: CriticalService['criteria'][number]): Standing;
  };
  /** As the server has them now. */
  allServices(signal: AbortSignal): Promise<readonly CriticalService[]>;
  /** Keeps a refused deletion with the services that refused it. */
  recordRefusal(
    services: readonly CriticalService[],
    object: KubeObject,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<void>;
  now(): number;
}

/** What a service has against a deletion. */
interface Complaint {
  readonly service: CriticalService;
  readonly heading: string;
  readonly reasons: readonly string[];
  readonly code: 'RD045' | 'RD046';
  readonly isDoubt: boolean;
}

/** Objects to the deletion of a provider and its namespace before its criteria are met, and of a service before its provider. */
export function criticalGuard(ports: CriticalGuardPorts): DeletionGuard {
  return {
    async glance(deletion) {
      const { cache } = ports;
      // Seldom asked about: whoever has just deleted the last service is not to hear of it.
      if (isDefinition(deletion.object)) return undefined;
      if (isService(deletion.object)) {
        const service = parseCriticalService(deletion.object);
        const isHeld = service.deletionPolicy === 'Strict' && cache.hasProvider(service);
        return isHeld ? objection(deletion, [providerRemains(service, 'still exists')], ports) : undefined;
      }
      const complaints = concernedBy(deletion, cache.services())
        .filter((service) => !isNamespace(deletion.object) || cache.hasProvider(service))
        .flatMap((service) =>
          criteriaUnmet(
            service,
            service.criteria.map((one) => cache.standing(one)),
            deletion,
          ),
        );
      // Good for a refusal only if something is known to be in the way.
      const certain = complaints.filter(({ isDoubt }) => !isDoubt);
      return objection(deletion, certain, ports);
    },
    async look(deletion, signal) {
      if (isDefinition(deletion.object)) return losing(await ports.allServices(signal));
      const complaints = isService(deletion.object)
        ? await complaintOfService(parseCriticalService(deletion.object), ports, signal)
        : await complaintsOfCriteria(deletion, ports, signal);
      return objection(deletion, complaints, ports);
    },
  };
}

async function complaintsOfCriteria(
  deletion: Deletion,
  ports: CriticalGuardPorts,
  signal: AbortSignal,
): Promise<readonly Complaint[]> {
  const concerned = concernedBy(deletion, await ports.allServices(signal));
  const found = await Promise.all(
    concerned.map(async (service) => {
      // Of a namespace without the provider there is nothing to keep.
      if (isNamespace(deletion.object) && (await findProvider(service, ports, signal)).kind === 'absent')
        return [];
      const standings = await Promise.all(service.criteria.map((one) => lookAt(one, ports, signal)));
      return criteriaUnmet(service, standings, deletion);
    }),
  );
  return found.flat();
}

async function complaintOfService(
  service: CriticalService,
  ports: CriticalGuardPorts,
  signal: AbortSignal,
): Promise<readonly Complaint[]> {
  const remains = await whyServiceStays(service, ports, signal);
  return remains ? [providerRemains(service, remains.why, remains.isDoubt)] : [];
}

/** The services whose provider, or its namespace, is to be deleted. */
function concernedBy(
  { object, request }: Deletion,
  services: Iterable<CriticalService>,
): readonly CriticalService[] {
  const { group, resource: plural } = request.resource;
  const type = { group, plural, kind: object.kind };
  const { name, namespace } = object.metadata;
  return [...services].filter(({ provider, isReleased }) => {
    if (isReleased) return false;
    if (isNamespace(object) && provider.namespace === name) return true;
    return isNamedBy(provider, type) && provider.name === name && provider.namespace === namespace;
  });
}

function isService(object: KubeObject): boolean {
  return isServiceKind(refOf(object));
}

function isNamespace(object: KubeObject): boolean {
  return object.kind === 'Namespace' && object.apiVersion === 'v1';
}

function criteriaUnmet(
  service: CriticalService,
  standings: readonly Standing[],
  { object }: Deletion,
): readonly Complaint[] {
  const unmet = standings.filter(({ state }) => state === 'unmet');
  const unknown =
    service.deletionPolicy === 'Strict' ? standings.filter(({ state }) => state === 'unknown') : [];
  if (unmet.length + unknown.length === 0) return [];
  const isDoubt = unmet.length === 0;
  const what = `${object.kind} "${object.metadata.name}"`;
  const because = isNamespace(object)
    ? `is where ${nameOf(service.provider)} runs, which is critical`
    : 'is critical';
  const wish = isDoubt ? 'not everything it waits for could be checked' : 'these must go first';
  return [
    {
      service,
      heading: `${what} ${because} (CriticalService "${service.ref.name}"): ${wish}:`,
      reasons: [...unmet, ...unknown].map(({ message }) => message),
      code: 'RD045',
      isDoubt,
    },
  ];
}

function providerRemains(service: CriticalService, why: string, isDoubt = false): Complaint {
  return {
    service,
    heading: `CriticalService "${service.ref.name}" must stay until its provider is gone (or set spec.deletionPolicy to Orphan):`,
    reasons: [`${nameOf(service.provider)} ${isDoubt ? `could not be looked for: ${why}` : why}`],
    code: 'RD046',
    isDoubt,
  };
}

function objection(
  deletion: Deletion,
  complaints: readonly Complaint[],
  ports: CriticalGuardPorts,
): Objection | undefined {
  if (complaints.length === 0) return undefined;
  const services = complaints.map(({ service }) => service);
  return {
    lines: complaints.flatMap(({ heading, reasons }) => [heading, ...reasons.map((reason) => `- ${reason}`)]),
    causes: complaints.flatMap(causesOf),
    ...(complaints.every(({ isDoubt }) => isDoubt) ? { isDoubt: true } : {}),
    forbidsRepeat: services.some(({ replayDeletion }) => !replayDeletion),
    refused: (isVetoed, signal) =>
      ports.recordRefusal(services, deletion.object, attemptOf(deletion, isVetoed, ports.now()), signal),
  };
}

function causesOf({ service, reasons, code }: Complaint): readonly AnswerCause[] {
  return reasons.map((reason) => ({
    reason: code,
    message: `CriticalService "${service.ref.name}": ${reason}`,
  }));
}
