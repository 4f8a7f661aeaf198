import { expect, test } from 'vitest';
import type { AdmissionRequest } from '#pkg/admission';
import { Kinds, type KubeObject } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { aNode } from '#test/fixtures/osds.ts';
import { maintenanceAdmission } from './admission.ts';

const { signal } = new AbortController();
const user = { username: 'ann', groups: [] } as unknown as AdmissionRequest['userInfo'];

function aMaintenance(spec: object = {}, name = 'node-a'): KubeObject {
  return anObject(Kinds.NodeMaintenance, name, { spec: { nodeName: name, ...spec } });
}

async function answer(
  request: { operation: string; object?: KubeObject; oldObject?: KubeObject },
  rights: readonly string[],
): Promise<string> {
  const handler = maintenanceAdmission({
    getNode: (name) => Promise.resolve(name === 'node-a' ? aNode(name) : undefined),
    mayDo: (_user, verb, { kind, subresource }) =>
      Promise.resolve(rights.includes(`${verb} ${kind}${subresource ? `/${subresource}` : ''}`)),
  });
  const given = await handler({ ...request, userInfo: user } as unknown as AdmissionRequest, signal);
  return given.kind === 'allow' ? 'allow' : JSON.stringify(given);
}

const ALL = ['patch Node', 'create Pod/eviction'];

test.for([
  { name: 'by who may cordon and evict', rights: ALL, expected: 'allow' },
  { name: 'by who may not cordon', rights: ['create Pod/eviction'], expected: 'cannot patch nodes' },
  { name: 'by who may not evict', rights: ['patch Node'], expected: 'cannot create pods/eviction' },
  {
    name: 'without a drain by who may not evict',
    rights: ['patch Node'],
    object: aMaintenance({ noDrain: true }),
    expected: 'allow',
  },
  {
    name: 'of a node that is not there',
    rights: ALL,
    object: aMaintenance({}, 'x'),
    expected: 'not found',
  },
  {
    name: 'in the name of somebody else',
    rights: ALL,
    object: aMaintenance({ requestedBy: 'bob' }),
    expected: 'must be the one who asks',
  },
  { name: 'in their own name', rights: ALL, object: aMaintenance({ requestedBy: 'ann' }), expected: 'allow' },
])('a maintenance $name', async ({ rights, object = aMaintenance(), expected }) => {
  expect(await answer({ operation: 'CREATE', object }, rights)).toContain(expected);
});

test('what asks for nothing new passes, so that a finalizer can always go', async () => {
  const both = { object: aMaintenance(), oldObject: aMaintenance() };
  expect(await answer({ operation: 'UPDATE', ...both }, [])).toBe('allow');
  const forced = { object: aMaintenance({ force: true }), oldObject: aMaintenance() };
  expect(await answer({ operation: 'UPDATE', ...forced }, [])).toContain('cannot patch nodes');
});

test('who may not uncordon may not stop a maintenance', async () => {
  expect(await answer({ operation: 'DELETE', oldObject: aMaintenance() }, [])).toContain(
    'cannot patch nodes',
  );
  expect(await answer({ operation: 'DELETE', oldObject: aMaintenance() }, ['patch Node'])).toBe('allow');
});
