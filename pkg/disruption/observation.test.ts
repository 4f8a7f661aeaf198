import { expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { fakeReader } from '#test/fakes/reader.ts';
import { budget } from './budgets.ts';
import { isOfPurpose, observe, osdBudgetsIn } from './observation.ts';

const { signal } = new AbortController();
const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u' },
};

test.for([Kinds.Deployment, Kinds.Pod, Kinds.Node, Kinds.PodDisruptionBudget, Kinds.CephBlockPool])(
  'without a list of $kind there is no picture',
  async (kind) => {
    const reader = fakeReader([], [{ kind, reason: 'forbidden' }]);
    await expect(observe('rook-ceph', reader, signal)).rejects.toThrow(`cannot list ${kind.kind}: forbidden`);
  },
);

test('budgets of OSDs are ours to change if we made them for OSDs, or Rook did for this cluster', () => {
  const made = (name: string, purpose: 'osd' | 'daemon', uid = 'u'): KubeObject => {
    const owner = { ...OWNER, reference: { ...OWNER.reference, uid } };
    return budget(name, purpose, { maxUnavailable: 0, selector: {} }, owner);
  };
  const managed = (object: KubeObject, labels: Readonly<Record<string, string>>): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, labels },
  });
  const ours = made('a', 'osd');
  const rooks = managed(made('rook-ceph-osd-host-a', 'osd'), {});
  const others = [
    made('rook-ceph-osd-daemon', 'daemon'),
    managed(made('rook-ceph-osd-host-b', 'osd', 'other'), {}),
    managed(made('b', 'osd'), { 'rook-deps.io/budget': 'osd' }),
  ];
  expect(osdBudgetsIn([ours, rooks, ...others], OWNER)).toEqual([ours, rooks]);
  expect(others.filter((other) => isOfPurpose(other, 'osd'))).toEqual([]);
});
