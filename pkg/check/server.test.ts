import { describe, expect, test } from 'vitest';
import { KNOWN_TYPES, ResourceTypes, type ResourceType } from '#pkg/object';
import { SIGNAL } from '#test/fakes/usage-world.ts';
import type { CheckPorts, Finding } from './check.ts';
import { serverChecks } from './server.ts';

const ADMISSION = ['ValidatingWebhookConfiguration', 'ValidatingAdmissionPolicy'].map(
  (kind): ResourceType => ({
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    shortNames: [],
    namespaced: false,
  }),
);

function found(gitVersion: string, types: readonly ResourceType[]): Promise<readonly Finding[]> {
  const ports = {
    raw: async () => JSON.stringify({ gitVersion }),
    types: async () => new ResourceTypes([...KNOWN_TYPES, ...types]),
  } as unknown as CheckPorts;
  return Promise.all(serverChecks(ports).map(({ look }) => look(SIGNAL)));
}

describe('a server', () => {
  test('with all that is needed is well', async () => {
    expect(await found('v1.30.0', ADMISSION)).toMatchObject([
      { result: 'ok', detail: 'v1.30.0' },
      { result: 'ok' },
    ]);
  });

  test('that is too old, or without the API of policies, fails', async () => {
    expect(await found('v1.29.14', ADMISSION.slice(0, 1))).toMatchObject([
      { result: 'fail', detail: 'it is v1.29.14' },
      { result: 'fail', detail: 'ValidatingAdmissionPolicy not served' },
    ]);
  });
});
