import { numberAt, recordAt, textAt, type KubeObject } from '#pkg/object';

export const LEASE = { group: 'coordination.k8s.io', kind: 'Lease' } as const;

/** The API server's Leases. Failures of any kind are thrown. */
export interface LeasePort {
  /** Undefined when there is none. */
  get(namespace: string, name: string, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** Throws if there is one of that name. Returns what was stored. */
  create(lease: KubeObject, signal: AbortSignal): Promise<KubeObject>;
  /** Replaces the whole object, and must fail unless its resourceVersion is the stored one. Returns what was stored. */
  update(lease: KubeObject, signal: AbortSignal): Promise<KubeObject>;
}

/** Who holds a lease: undefined when nobody does. */
export function holderOf(lease: KubeObject): string | undefined {
  return textAt(lease, 'spec', 'holderIdentity');
}

/** How long the holder may be silent, by its own word. */
export function durationMsOf(lease: KubeObject): number | undefined {
  const seconds = numberAt(lease, 'spec', 'leaseDurationSeconds');
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Differs after each sign of life of the holder, and only then: not when somebody labels the lease. */
export function signOfLife(lease: KubeObject): string {
  const { holderIdentity, renewTime, acquireTime, leaseTransitions } = recordAt(lease, 'spec');
  return JSON.stringify([holderIdentity, renewTime, acquireTime, leaseTransitions]);
}

export interface Claim {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly durationMs: number;
  readonly nowMs: number;
}

/** A lease that nobody has had. */
export function newLease(claim: Claim): KubeObject {
  return {
    apiVersion: `${LEASE.group}/v1`,
    kind: LEASE.kind,
    metadata: { namespace: claim.namespace, name: claim.name },
    spec: { ...held(claim), acquireTime: microTime(claim.nowMs), leaseTransitions: 0 },
  };
}

/** The lease as its holder renews it, or as a new holder takes it over. */
export function claimedLease(lease: KubeObject, claim: Claim): KubeObject {
  const spec = recordAt(lease, 'spec');
  if (holderOf(lease) === claim.identity) return { ...lease, spec: { ...spec, ...held(claim) } };
  const leaseTransitions = (numberAt(spec, 'leaseTransitions') ?? 0) + 1;
  const taken = { acquireTime: microTime(claim.nowMs), leaseTransitions };
  return { ...lease, spec: { ...spec, ...held(claim), ...taken } };
}

/** The lease given back: whoever sees it may take it at once. */
export function releasedLease(lease: KubeObject, nowMs: number): KubeObject {
  const released = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(nowMs) };
  return { ...lease, spec: { ...recordAt(lease, 'spec'), ...released } };
}

function held({ identity, durationMs, nowMs }: Claim): Readonly<Record<string, unknown>> {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    renewTime: microTime(nowMs),
  };
}

/** Six digits after the point: what the API server's MicroTime prints. */
function microTime(nowMs: number): string {
  return new Date(nowMs).toISOString().replace('Z', '000Z');
}
