import { expect, test } from 'vitest';
import type { KubeObject, ObjectRef } from '#pkg/object';
import { fakeReader } from '#test/fakes/reader.ts';
import { removeMade } from './made.ts';

const { signal } = new AbortController();

function made(kind: string, apiVersion: string, name: string, rest: object = {}): KubeObject {
  const labels = { 'rook-deps.io/budget': 'osd' };
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: 'rook-ceph', uid: `uid-${name}`, labels },
    ...rest,
  };
}

test('budgets and notes of ours go, those of others stay, and a flag that stays in Ceph is told', async () => {
  const noout = [
    { domain: 'zone-x', since: 1, phase: 'set' },
    { domain: 'zone-y', since: 1, phase: 'expired' },
  ];
  const others = made('PodDisruptionBudget', 'policy/v1', 'theirs');
  const objects = [
    made('PodDisruptionBudget', 'policy/v1', 'ours'),
    { ...others, metadata: { ...others.metadata, labels: {} } },
    made('ConfigMap', 'v1', 'notes', { data: { 'state.json': JSON.stringify({ noout }) } }),
    made('ConfigMap', 'v1', 'broken', { data: { 'state.json': '{' } }),
  ];
  const deleted: [ObjectRef['name'], string | undefined][] = [];
  const warnings: string[] = [];
  const isWhole = await removeMade(
    {
      reader: fakeReader(objects),
      writer: {
        delete: ({ name }, { uid }) => {
          deleted.push([name, uid]);
          return Promise.resolve('deleted');
        },
      },
      report: () => undefined,
      warn: (text) => warnings.push(text),
    },
    false,
    signal,
  );
  expect(isWhole).toBe(true);
  expect(deleted).toEqual([
    ['ours', 'uid-ours'],
    ['notes', 'uid-notes'],
    ['broken', 'uid-broken'],
  ]);
  expect(warnings).toEqual(['noout is still set in Ceph: run "ceph osd unset-group noout zone-x"']);
});
