import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { aBudget } from '#test/fixtures/budgets.ts';
import { anObject } from '#test/fixtures/objects.ts';
import { anOsdPod } from '#test/fixtures/osds.ts';
import { holdsOn, type DrainPicture } from './holds.ts';

const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const pod = (id: number): KubeObject => ({ ...anOsdPod(id, { zone: 'zone-y', node: 'b' }), status: READY });
const PODS = [pod(2), pod(3)];
const ofZone = (zone: string): object => ({ matchLabels: { 'topology-location-zone': zone } });
const blocking = aBudget('rook-ceph-osd-zone-zone-y', ofZone('zone-y'), { maxUnavailable: 0, allowed: 0 });
const standard = aBudget('rook-ceph-osd', { matchLabels: { app: 'rook-ceph-osd' } }, { allowed: 0 });

function picture(parts: Partial<DrainPicture> = {}): DrainPicture {
  const osds = [0, 1, 2, 3].map((id) => {
    const isDown = id < 2;
    return { id, domain: isDown ? 'zone-x' : 'zone-y', isDown, isDrained: isDown };
  });
  return { type: 'zone', osds, draining: 'zone-x', groups: '12 active+undersized', ...parts };
}

const allUp = picture().osds.map((osd) => ({ ...osd, isDown: false, isDrained: false }));
const words = (...args: Parameters<typeof holdsOn>): readonly string[] =>
  holdsOn(...args).map(({ message }) => message);

describe('the OSDs of a node', () => {
  test('are held for the sake of the domain that drains, with the state of the data', () => {
    const [hold, ...others] = holdsOn(PODS, [blocking], picture());
    expect(others).toEqual([]);
    expect(hold).toMatchObject({ kind: 'refused', domain: 'zone-x', pods: PODS });
    expect(hold?.message).toBe(
      'rook-ceph-osd-zone-zone-y holds osd.2 and osd.3 because zone zone-x drains (placement groups: 12 active+undersized)',
    );
  });

  test('are held although their own domain drains, while others are down that hold the same data', () => {
    const osds = [2, 5].map((id) => ({
      id,
      domain: id === 2 ? 'zone-y' : 'zone-z',
      isDown: true,
      isDrained: false,
    }));
    const up = { id: 3, domain: 'zone-y', isDown: false, isDrained: false };
    const [hold] = holdsOn([pod(3)], [blocking], picture({ osds: [...osds, up], draining: 'zone-y' }));
    expect(hold).not.toHaveProperty('domain');
    expect(hold?.message).toBe(
      'rook-ceph-osd-zone-zone-y holds osd.3 because data might not be served with fewer OSDs while osd.2 and osd.5 are down (placement groups: 12 active+undersized)',
    );
  });

  test.for([
    {
      name: 'is back, until its copies are',
      parts: { osds: allUp, groups: '3 active+recovering' },
      expected: 'because zone zone-x is back and its copies are not (placement groups: 3 active+recovering)',
    },
    {
      name: 'drains while Ceph is silent',
      parts: { groups: undefined },
      expected: 'because zone zone-x drains (Ceph does not tell how its placement groups are)',
    },
    {
      name: 'has no name',
      parts: { draining: '', osds: [{ id: 0, domain: '', isDown: true, isDrained: true }] },
      expected: 'because the zone without a label drains (placement groups: 12 active+undersized)',
    },
    {
      name: 'is none, as only copies are missing',
      parts: { draining: '', osds: allUp },
      expected: 'because copies are missing (placement groups: 12 active+undersized)',
    },
    {
      name: 'nobody has written down',
      parts: { draining: undefined },
      expected: 'because an OSD of another zone is or was down (placement groups: 12 active+undersized)',
    },
  ])('are held for a domain that $name', ({ parts, expected }) => {
    expect(words(PODS, [blocking], picture(parts))).toEqual([
      `rook-ceph-osd-zone-zone-y holds osd.2 and osd.3 ${expected}`,
    ]);
  });

  test('are held by the default budget while another one is down', () => {
    expect(words(PODS, [standard], picture({ draining: undefined }))).toEqual([
      'rook-ceph-osd holds osd.2 and osd.3 because one OSD may be missing at a time, and osd.0 and osd.1 are down (placement groups: 12 active+undersized)',
    ]);
    expect(words(PODS, [standard], picture({ osds: allUp, groups: '9 active+clean' }))).toEqual([
      'rook-ceph-osd holds osd.2 and osd.3 because one OSD may be missing at a time, and another one is not ready (placement groups: 9 active+clean)',
    ]);
  });

  test('are held by two budgets, whatever these allow', () => {
    const own = aBudget('mine', {}, { allowed: 1 });
    expect(holdsOn(PODS, [standard, own], picture())).toMatchObject([
      {
        kind: 'broken',
        budgets: [standard, own],
        message:
          'rook-ceph-osd and rook-ceph/mine both select osd.2 and osd.3, and the API server evicts no pod with more than one budget',
      },
    ]);
  });

  test('are held by a budget whose pods nobody has counted', () => {
    const fresh = aBudget('rook-ceph-osd', {}, { allowed: undefined });
    expect(holdsOn([pod(2)], [fresh], picture())).toMatchObject([
      { kind: 'uncounted', message: 'rook-ceph-osd holds osd.2 until the API server has counted its pods' },
    ]);
  });

  test('may go where budgets allow it', () => {
    expect(holdsOn(PODS, [aBudget('rook-ceph-osd', {}, { allowed: 1 })], picture())).toEqual([]);
    expect(holdsOn(PODS, [], picture())).toEqual([]);
  });
});

test('other pods are held by what their budget counts', () => {
  const web = anObject(Kinds.Pod, 'web-1', { namespace: 'shop', labels: { app: 'web' }, status: READY });
  const budget = aBudget('web', {}, { namespace: 'shop', allowed: 0, needs: 3, has: 3 });
  expect(words([web], [budget])).toEqual([
    'shop/web holds pod web-1 because it needs 3 healthy pods and counts 3',
  ]);
});

test('of many, the first are named', () => {
  const many = [1, 2, 3, 4, 5, 6, 7, 8].map(pod);
  expect(words(many, [blocking], picture())[0]).toContain(
    'holds osd.1, osd.2, osd.3, osd.4, osd.5 and 3 more because',
  );
});
