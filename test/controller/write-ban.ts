import { expect, vi } from 'vitest';
import { CONTROLLER } from './local-install.ts';
import { configMap } from './objects.ts';
import type { Scene } from './scene.ts';

const WAIT = { timeout: 40_000, interval: 100 };

export interface WriteBan {
  /** As the rules of an admission policy name it, with its subresource. */
  readonly resource: 'usages' | 'usages/status' | 'configmaps';
  /** In CEL: the updates that are banned. */
  readonly when: string;
  /** Of the refusal, when it is not the usual one. */
  readonly reason?: 'Forbidden' | 'Invalid';
}

/**
 * Refuses some updates of the controller in a namespace, as a policy of the cluster's owner may. Returns when the
 * policy is in force, which takes the API server up to a second; what it returns lifts the ban.
 */
export async function banWrites(
  scene: Scene,
  namespace: string,
  { resource, when, reason = 'Forbidden' }: WriteBan,
): Promise<() => Promise<void>> {
  const api = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: `ban-${namespace}` } };
  const canary = configMap(namespace, 'canary');
  const matched = new Set([resource, 'configmaps']);
  const policy = {
    ...api,
    kind: 'ValidatingAdmissionPolicy',
    spec: {
      matchConstraints: { resourceRules: [...matched].map(ruleFor) },
      matchConditions: [
        {
          name: 'by-the-controller',
          expression: `request.userInfo.username == '${CONTROLLER}' && request.namespace == '${namespace}'`,
        },
      ],
      validations: [
        {
          expression: `request.name != 'canary' && !(${matchOf(resource)} && ${when})`,
          reason,
          message: `banned in ${namespace}`,
        },
      ],
    },
  };
  const binding = {
    ...api,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: { policyName: api.metadata.name, validationActions: ['Deny'] },
  };
  await scene.make(canary, policy, binding);
  await vi.waitFor(async () => {
    const tried = { as: CONTROLLER, query: 'dryRun=All' };
    const { message } = await scene.client.patch(canary, { metadata: { labels: { tried: 'yes' } } }, tried);
    expect(message).toContain(`banned in ${namespace}`);
  }, WAIT);
  return async () => {
    expect((await scene.client.delete(binding)).status).toBe(200);
  };
}

function ruleFor(resource: string): object {
  const apiGroups = [resource === 'configmaps' ? '' : 'rook-deps.io'];
  return { apiGroups, apiVersions: ['*'], operations: ['UPDATE'], resources: [resource] };
}

function matchOf(resource: string): string {
  return `request.resource.resource == '${resource.split('/')[0]}'`;
}
