import { describe, inject } from 'vitest';

/** `describe` for tests that need a real Ceph: skipped, with the reason, where it cannot be had. */
export function describeOnCeph(name: string, tests: () => void): void {
  const missing = inject('cephMissing');
  if (missing) describe.skip(`${name} (skipped: ${missing})`, tests);
  else describe(name, tests);
}
