import { newToken } from '../path-token.ts';
import { createAuthority, issueServing } from './issue.ts';
import { inspect, type Material } from './material.ts';
import type { CertificateStep } from './plan.ts';
import type { CertificatePolicy } from './policy.ts';

/** The material after the steps; `publish` changes none. Nothing is written. */
export async function carryOut(
  steps: readonly CertificateStep[],
  before: Material,
  names: readonly string[],
  policy: CertificatePolicy,
  nowMs: number,
): Promise<Material> {
  let material = before;
  for (const step of steps) material = await carryOutOne(step, material, names, policy, nowMs);
  return material;
}

async function carryOutOne(
  step: CertificateStep,
  material: Material,
  names: readonly string[],
  policy: CertificatePolicy,
  nowMs: number,
): Promise<Material> {
  switch (step) {
    case 'create-token':
      return { ...material, token: newToken() };
    case 'create-authority':
      return {
        ...material,
        authority: await createAuthority(policy, nowMs),
        previousAuthority: signerOf(material, names, nowMs),
      };
    case 'issue-serving': {
      const { certificate, key } = material.authority;
      if (!certificate || !key) throw new Error('cannot issue a serving certificate without a CA');
      return { ...material, serving: await issueServing({ certificate, key }, names, policy, nowMs) };
    }
    case 'drop-previous':
      return { ...material, previousAuthority: undefined };
    case 'publish':
      return material;
  }
}

/** The CA that vouches for what is served now. */
function signerOf(material: Material, names: readonly string[], nowMs: number): string | undefined {
  const { authority, previous, serving } = inspect(material, names, nowMs);
  if (!serving) return undefined;
  return serving.signedBy === 'authority' ? authority?.pem : previous?.pem;
}
