import { expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import type { CheckPorts, Finding } from './check.ts';
import { policyCheck } from './policies.ts';

const SPEC = {
  failurePolicy: 'Fail',
  validationActions: ['Deny'],
  matchConstraints: { resourceRules: [{ apiGroups: ['*'], operations: ['UPDATE'] }] },
};
/** As a server gives it back. */
const STORED = {
  failurePolicy: 'Fail',
  validationActions: ['Deny'],
  matchConstraints: {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    resourceRules: [{ apiGroups: ['*'], operations: ['UPDATE'], scope: '*' }],
  },
};

function policy(spec: object): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'rook-deps-labels' },
    spec,
  };
}

async function look(found: KubeObject | undefined): Promise<Finding> {
  const ports = {
    reader: { get: async () => found },
    manifests: async () => [policy(SPEC)],
  } as unknown as CheckPorts;
  return policyCheck('rook-deps-system', ports).look(AbortSignal.timeout(1_000));
}

test.for([
  { name: 'as the server stores it', found: policy(STORED), result: 'ok' },
  {
    name: 'that warns as well',
    found: policy({ ...STORED, validationActions: ['Audit', 'Deny'] }),
    result: 'ok',
  },
  { name: 'that only warns', found: policy({ ...STORED, validationActions: ['Warn'] }), result: 'fail' },
  { name: 'that is missing', found: undefined, result: 'fail' },
  { name: 'that lets things pass', found: policy({ ...STORED, failurePolicy: 'Ignore' }), result: 'fail' },
  {
    name: 'with an exception',
    found: policy({ ...STORED, matchConditions: [{ name: 'never', expression: 'false' }] }),
    result: 'fail',
  },
  {
    name: 'that looks at fewer namespaces',
    found: policy({
      ...STORED,
      matchConstraints: { ...STORED.matchConstraints, namespaceSelector: { matchLabels: { a: 'b' } } },
    }),
    result: 'fail',
  },
])('a policy $name: $result', async ({ found, result }) => {
  expect((await look(found)).result).toBe(result);
});
