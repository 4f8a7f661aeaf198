import { createAuthority, issueServing } from '../certificates/issue.ts';
import type { ServingCertificate } from '../certificates/material.ts';
import { DEFAULT_POLICY } from '../certificates/policy.ts';

/** Made at a time of the test's choice; good for the names that tests use. */
export const TEST_NAMES = ['hook.rook-deps-system.svc', '127.0.0.1'];

export function anAuthority(nowMs: number): Promise<ServingCertificate> {
  return createAuthority(DEFAULT_POLICY, nowMs);
}

export function aServing(
  authority: ServingCertificate,
  nowMs: number,
  names: readonly string[] = TEST_NAMES,
): Promise<ServingCertificate> {
  return issueServing(authority, names, DEFAULT_POLICY, nowMs);
}
