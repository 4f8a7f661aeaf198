import { hasToken, withToken } from '../path-token.ts';
import { bundleOf, inspect, type Inspection, type Material } from './material.ts';
import type { CertificatePolicy } from './policy.ts';
import type { WebhookCall } from './ports.ts';

/**
 * In this order. `create-authority` keeps the CA that signed what is served now as the previous one; `publish` writes
 * the bundle of all CAs and the token into the webhook configurations.
 */
export type CertificateStep =
  'create-token' | 'create-authority' | 'issue-serving' | 'drop-previous' | 'publish';

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
  /** How every webhook is called, in all configurations. */
  readonly published: readonly WebhookCall[];
  /** Since when all of these have trusted what they should. */
  readonly publishedSinceMs?: number | undefined;
  /** Since when we have been the one to act. */
  readonly leadingSinceMs: number;
}

/** What is to be done now. */
export function planCertificates(
  state: CertificateState,
  policy: CertificatePolicy,
  nowMs: number,
): CertificatePlan {
  const plan = planWithoutToken(state, policy, nowMs);
  if (state.material.token !== undefined) return plan;
  const dueMs = tokenMs(state, policy, nowMs);
  if (dueMs > nowMs) return { ...plan, againAtMs: Math.min(plan.againAtMs, dueMs) };
  const steps = plan.steps.filter((step) => step !== 'publish');
  return { steps: ['create-token', ...steps, 'publish'], againAtMs: nowMs };
}

/**
 * When the token is made. Replicas of a version before there were tokens know no other path than the plain one: while
 * the webhooks are still called like that, they are given the time to go.
 */
function tokenMs(
  { material, names, published, leadingSinceMs }: CertificateState,
  policy: CertificatePolicy,
  nowMs: number,
): number {
  const isInstalled = inspect(material, names, nowMs).serving !== undefined;
  const isOfBefore = published.length > 0 && published.every(({ address }) => !hasToken(address));
  return isInstalled && isOfBefore ? leadingSinceMs + policy.settleMs : nowMs;
}

/**
 * A CA is replaced in three moves, so that at no time a client distrusts what is served: both
 * CAs are published; some time later the new one signs what is served; later still the old one goes.
 */
function planWithoutToken(
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
  if (!isTrusted(state, nowMs) || !isAddressed(state)) return now('publish');

  const dueMs = switchMs(seen, state, policy, nowMs);
  if (dueMs <= nowMs) return now('issue-serving');
  const retireMs = retirementMs(seen, policy);
  if (retireMs <= nowMs) return now('drop-previous', 'publish');
  return { steps: [], againAtMs: Math.min(renewalMs(authority), dueMs, retireMs) };
}

type Published = Pick<CertificateState, 'material' | 'published'>;

/** True when every webhook trusts exactly what it should. */
export function isTrusted({ material, published }: Published, nowMs: number): boolean {
  const bundle = bundleOf(material, nowMs);
  return published.every((call) => call.bundle === bundle);
}

/** How a webhook is to be called. */
export function callFor({ address }: WebhookCall, material: Material, nowMs: number): WebhookCall {
  const { token } = material;
  return {
    bundle: bundleOf(material, nowMs),
    address: token === undefined ? address : withToken(address, token),
  };
}

function isAddressed({ material: { token }, published }: Published): boolean {
  return published.every(({ address }) => token === undefined || address === withToken(address, token));
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
