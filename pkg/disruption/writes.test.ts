import { expect, test } from 'vitest';
import type { NooutRecord } from '#pkg/drain';
import type { KubeObject, Writer } from '#pkg/object';
import { budget } from './budgets.ts';
import { disown, StateKeeper, takeSteps } from './writes.ts';

const { signal } = new AbortController();
const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u' },
};
const plain = budget('rook-ceph-osd', 'osd', { maxUnavailable: 1, selector: {} }, OWNER);
const found = { ...plain, metadata: { ...plain.metadata, uid: 'its-uid' } };

function recorder(): { readonly writer: Writer; readonly applied: KubeObject[]; readonly how: unknown[] } {
  const applied: KubeObject[] = [];
  const how: unknown[] = [];
  const unused = (): never => {
    throw new Error('not used here');
  };
  const writer: Writer = {
    create: unused,
    createReview: unused,
    patch: unused,
    apply: (object, options) => {
      applied.push(object);
      how.push(options);
      return Promise.resolve(object);
    },
    delete: (_ref, preconditions) => {
      how.push(preconditions);
      return Promise.resolve('deleted');
    },
  };
  return { writer, applied, how };
}

test('a budget is deleted only if it is the one that was seen, and applied whoever wrote it before', async () => {
  const { writer, how } = recorder();
  await takeSteps([{ kind: 'apply', budget: plain }], writer, signal);
  await takeSteps([{ kind: 'delete', budget: found }], writer, signal);
  expect(how).toEqual([{ fieldManager: 'rook-deps-disruption', force: true }, { uid: 'its-uid' }]);
});

test('a budget that is left to others bears no mark of ours, and belongs to the cluster', async () => {
  const { writer, applied } = recorder();
  await disown(plain, writer, signal);
  expect(applied).toMatchObject([{ metadata: { name: 'rook-ceph-osd', ownerReferences: [{ uid: 'u' }] } }]);
  expect(applied[0]?.metadata.labels).toBeUndefined();
});

test('of several flags one is remembered anew and one forgotten, and the others stay', async () => {
  const record = (domain: string, phase: NooutRecord['phase']): NooutRecord => ({ domain, since: 1, phase });
  const { writer, applied } = recorder();
  const keeper = new StateKeeper({ noout: ['a', 'b', 'c'].map((one) => record(one, 'set')) }, OWNER, writer);
  await keeper.remember(record('b', 'expired'), signal);
  await keeper.forget('a', signal);
  expect(keeper.state.noout).toEqual([record('c', 'set'), record('b', 'expired')]);
  await keeper.keep({ ...keeper.state }, signal);
  expect(applied).toHaveLength(2);
});
