import { bundleOf, inspect, type Inspection, type Material } from './material.ts';
import type { CertificatePolicy } from './policy.ts';

/**
 * In this order. `create-authority` keeps the CA that signed what is served now as the previous one; `publish` writes
 * the bundle of all CAs into the webhook configurations.
 */
export type CertificateStep = 'create-authority' | 'issue-serving' | 'drop-previous' | 'publish';

export interface CertificatePlan {
  /** Empty: all is well. Otherwise plan again after them. */
  readonly steps: readonly CertificateStep[];
  /** When to look again, if nothing changes before. */
  readonly againAtMs: number;
}

export interface CertificateState {
  readonly material: Material;
  /** Host names and addresses that are served. */
  readonly names: readonly string[];
  /** The bundle of every webhook, in all configurations. */
  readonly published: readonly string[];
  /** Since when all of these have been what they should be. */
  readonly publishedSinceMs?: number | undefined;
}

/**
 * What is to be done now. A CA is replaced in three moves, so that at no time a client distrusts what is served: both
 * CAs are published; some time later the new one signs what is served; later still the old one goes.
 */
export function planCertificates(
  state: CertificateState,
  policy: CertificatePolicy,
  nowMs: number,
): CertificatePlan {
  const seen = inspect(state.material, state.names, nowMs);
  const now = (...steps: CertificateStep[]): CertificatePlan => ({ steps, againAtMs: nowMs });
  const { authority, serving } = seen;

  if (!authority?.canSign) {
    return serving ? now('create-authority', 'publish') : now('create-authority', 'issue-serving', 'publish');
  }
  if (!serving) return now('issue-serving', 'publish');
  if (serving.signedBy === 'authority' && renewalMs(authority) <= nowMs)
    return now('create-authority', 'publish');
  if (state.material.previousAuthority !== undefined && !seen.previous)
    return now('drop-previous', 'publish');
  if (!isPublished(state, nowMs)) return now('publish');

  const dueMs = switchMs(seen, state, policy, nowMs);
  if (dueMs <= nowMs) return now('issue-serving');
  const retireMs = retirementMs(seen, policy);
  if (retireMs <= nowMs) return now('drop-previous', 'publish');
  return { steps: [], againAtMs: Math.min(renewalMs(authority), dueMs, retireMs) };
}

/** True when every webhook trusts exactly what it should. */
export function isPublished({ material, published }: CertificateState, nowMs: number): boolean {
  const bundle = bundleOf(material, nowMs);
  return published.every((text) => text === bundle);
}

/** When the next serving certificate is made. */
function switchMs(
  { serving }: Inspection,
  { publishedSinceMs }: CertificateState,
  { settleMs }: CertificatePolicy,
  nowMs: number,
): number {
  if (!serving) return nowMs;
  return serving.signedBy === 'authority' ? renewalMs(serving) : (publishedSinceMs ?? nowMs) + settleMs;
}

/** When the previous CA goes: it must outlast the serving certificates that it signed. */
function retirementMs({ serving, previous }: Inspection, policy: CertificatePolicy): number {
  if (!previous || serving?.signedBy !== 'authority') return Infinity;
  return serving.fromMs + policy.backdateMs + policy.retireMs;
}

function renewalMs({ fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number }): number {
  return fromMs + ((untilMs - fromMs) * 2) / 3;
}
