import type { AnswerCause, Deletion, DeletionGuard, Objection } from '#pkg/admission';
import { refOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { attemptOf, type Attempt } from '#pkg/protection';
import { isServiceKind, parseCriticalService, type CriticalService } from './critical-service.ts';
import { isDefinition, losing } from './definition.ts';
import type { Standing } from './criteria.ts';
import { doHold, existing, inTheWay, wanted, type Ground } from './grounds.ts';
import { lookAt, type LivePorts } from './live-criteria.ts';
import { findProvider, whyServiceStays } from './provider.ts';
import { isNamedBy, nameOf } from './resources.ts';

export interface CriticalGuardPorts extends LivePorts {
  /** What is known already: may be late. */
  readonly cache: {
    services(): Iterable<CriticalService>;
    /** If it is there. */
    provider(service: CriticalService): ObjectRef | undefined;
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

/** One that is only known from a cache, and what must be so for it to stand. */
interface Suspicion extends Complaint {
  readonly grounds: readonly Ground[];
}

/** Objects to the deletion of a provider and its namespace before its criteria are met, and of a service before its provider. */
export function criticalGuard(ports: CriticalGuardPorts): DeletionGuard {
  return {
    async glance(deletion, signal) {
      // Seldom asked about: whoever has just deleted the last service is not to hear of it.
      if (isDefinition(deletion.object)) return undefined;
      const suspicions = isService(deletion.object)
        ? suspicionOfService(parseCriticalService(deletion.object), ports)
        : suspicionsOfCriteria(deletion, ports);
      const [first] = suspicions;
      if (!first || !(await doHold(first.grounds, ports.get, signal))) return undefined;
      return objection(deletion, suspicions, ports);
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

function suspicionOfService(service: CriticalService, { cache }: CriticalGuardPorts): readonly Suspicion[] {
  const provider = service.deletionPolicy === 'Strict' ? cache.provider(service) : undefined;
  return provider ? [{ ...providerRemains(service, 'still exists'), grounds: [existing(provider)] }] : [];
}

function suspicionsOfCriteria(deletion: Deletion, { cache }: CriticalGuardPorts): readonly Suspicion[] {
  return concernedBy(deletion, cache.services()).flatMap((service) => {
    const home = isNamespace(deletion.object) ? cache.provider(service) : undefined;
    if (isNamespace(deletion.object) && !home) return [];
    const standings = service.criteria.map((one) => cache.standing(one));
    const unmet = standings.find(({ state }) => state === 'unmet');
    const first = unmet && inTheWay(unmet);
    // Good for a refusal only if something is known to be in the way.
    if (!first) return [];
    const grounds = [wanted(service), first, ...(home ? [existing(home)] : [])];
    return criteriaUnmet(service, standings, deletion).map((complaint) => ({ ...complaint, grounds }));
  });
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
