import { describe, expect, test } from 'vitest';
import type { Health, OsdFacts } from '#pkg/drain';
import { fieldAt, structuredSelector, type KubeObject } from '#pkg/object';
import { aCluster } from '#test/fixtures/objects.ts';
import { aNode, anOsd } from '#test/fixtures/osds.ts';
import { osdBudgets } from './budgets.ts';
import type { Protection } from './decision.ts';
import { holdUnsafeDomain } from './domain-hold.ts';
import { tellOfHold } from './tidings.ts';

const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u', controller: true },
};
const DRAINING_X: Protection = { kind: 'blocking', draining: 'x', isPlanned: true };
const QUIET: Protection = { kind: 'default', excluded: [] };

/** Two OSDs in each of three zones: 0 and 1 in x, 2 and 3 in y, 4 and 5 in z. */
function osdsWithout(...down: readonly number[]): readonly OsdFacts[] {
  return [0, 1, 2, 3, 4, 5].map((id) => {
    const isDown = down.includes(id);
    return { id, domain: zoneOf(id), isDown, isDrained: isDown };
  });
}

const zoneOf = (id: number): string => 'xxyyzz'.charAt(id);
const DEPLOYMENTS = [0, 1, 2, 3, 4, 5].map((id) => anOsd(id, { zone: zoneOf(id) }));

function healthOf(groups: readonly (readonly [string, readonly number[]])[], minSize = 2): Health {
  const pool = { id: 1, name: 'p', size: 3, minSize, crushRule: 0, isErasureCoded: false };
  const osdMap = {
    epoch: 1,
    crushVersion: 1,
    osds: [],
    pools: [pool],
    flags: [],
    bucketFlags: new Map<string, readonly string[]>(),
  };
  return {
    isClean: false,
    osdMap,
    groups: groups.map(([state, acting], at) => ({ id: `1.${at}`, pool: 1, state, acting })),
    words: '',
  };
}

const under = (protection: Protection): readonly KubeObject[] =>
  osdBudgets(protection, 'zone', osdsWithout(), OWNER);

interface Parts {
  readonly osds?: readonly OsdFacts[];
  readonly health?: Health | undefined;
  readonly before?: string | undefined;
  readonly budgets?: readonly KubeObject[];
}

/** Why the rest of zone x has to stay. */
function stayOf(parts: Parts): string | undefined {
  const { osds, health, before, budgets } = {
    osds: osdsWithout(0),
    health: healthOf([['active+undersized', [2, 4]]]),
    before: undefined,
    budgets: under(QUIET),
    ...parts,
  };
  const state = { noout: [], ...(before === undefined ? {} : { draining: before }) };
  const seen = { state, budgets, deployments: DEPLOYMENTS };
  const held = holdUnsafeDomain(DRAINING_X, osds, health, seen, OWNER);
  return held.kind === 'blocking' ? held.stay : undefined;
}

describe('the domain that drains', () => {
  test('goes on while its other groups have copies to spare', () => {
    const health = healthOf([
      ['active+undersized+degraded', [2, 4]],
      ['active+clean', [1, 3, 5]],
      // Its first OSD has just gone, and nobody has spoken for it yet.
      ['stale+active+clean', [0, 2, 4]],
    ]);
    expect(stayOf({ health })).toBeUndefined();
  });

  test('stays when an OSD of another one is down as well', () => {
    const health = healthOf([['active+undersized+degraded', [1, 3]]]);
    expect(stayOf({ osds: osdsWithout(0, 5), health })).toBe(
      '1 placement group would not be served without osd.1',
    );
  });

  test('stays where Ceph has not noticed yet that an OSD of another one is away', () => {
    const health = healthOf([['active+clean', [1, 3, 5]]]);
    expect(stayOf({ osds: osdsWithout(0, 5), health })).toBeDefined();
  });

  test('stays where a pool has no copy to spare', () => {
    expect(stayOf({ health: healthOf([['active+clean', [1, 3, 5]]], 3) })).toBeDefined();
  });

  test('stays where copies are kept apart by OSDs alone', () => {
    expect(stayOf({ health: healthOf([['active+undersized', [1, 4]]]) })).toBeDefined();
  });

  test('stays while nobody knows of a group', () => {
    expect(stayOf({ health: healthOf([['unknown', []]]) })).toBe(
      'nobody knows how 1 placement group would be without osd.1',
    );
  });

  test('has nothing to hold when all its OSDs are down', () => {
    expect(stayOf({ osds: osdsWithout(0, 1, 5), health: undefined })).toBeUndefined();
  });

  test('is not taken while all OSDs are there, whose groups find each other anew', () => {
    const health = healthOf([['peering', [0, 2, 4]]]);
    const freed = under(DRAINING_X);
    expect(stayOf({ osds: osdsWithout(), health, before: 'x', budgets: freed })).toBeUndefined();
  });

  test('that was held for another one stays until that has its copies back', () => {
    const heldForY = under({ kind: 'blocking', draining: 'y', isPlanned: false });
    const recovering = healthOf([['active+recovering+degraded', [1, 3, 5]]]);
    expect(stayOf({ health: recovering, before: 'y', budgets: heldForY })).toBe(
      'copies are missing of 1 placement group on osd.1',
    );
    expect(stayOf({ health: recovering, before: 'x', budgets: under(DRAINING_X) })).toBeUndefined();
    const there = healthOf([['active+clean', [1, 3, 5]]]);
    expect(stayOf({ health: there, before: 'x', budgets: heldForY })).toBeUndefined();
  });
});

describe('while Ceph is silent', () => {
  const health = undefined;

  test('a domain that is free drains on, and one that is not is not freed', () => {
    expect(stayOf({ health, before: 'x', budgets: under(DRAINING_X) })).toBeUndefined();
    expect(stayOf({ health, before: 'x' })).toBe('Ceph does not tell how its placement groups are');
    expect(stayOf({ health, before: undefined, budgets: [] })).toBeDefined();
  });

  test('one that is free stays once an OSD of another one is down', () => {
    const parts = { health, before: 'x', budgets: under(DRAINING_X) };
    expect(stayOf({ ...parts, osds: osdsWithout(0, 5) })).toBeDefined();
  });
});

describe('the budgets of a domain that drains and must stay', () => {
  const coverIn = (budgets: readonly KubeObject[], labels: Readonly<Record<string, string>>): number =>
    budgets.filter(({ spec }) => structuredSelector(fieldAt(spec, 'selector'))(labels)).length;
  const stays: Protection = { ...DRAINING_X, stay: 'for a reason' };

  test('hold each of its OSDs once, but for those that are down', () => {
    const budgets = osdBudgets(stays, 'zone', osdsWithout(0), OWNER);
    expect(DEPLOYMENTS.map(({ metadata }) => coverIn(budgets, metadata.labels ?? {}))).toEqual([
      0, 1, 1, 1, 1, 1,
    ]);
  });

  test('hold those without a label, too', () => {
    const osds = osdsWithout(0).map((osd) => ({ ...osd, isUnlabelled: true }));
    const budgets = osdBudgets(stays, 'zone', osds, OWNER);
    const cover = osds.map(({ id }) => coverIn(budgets, anOsd(id).metadata.labels ?? {}));
    expect(cover).toEqual([0, 1, 1, 1, 1, 1]);
  });
});

describe('the Event', () => {
  const told: string[] = [];
  const tell = (protection: Protection, said: string | undefined): Promise<string | undefined> => {
    const osds = osdsWithout(0).map((osd) => ({ ...osd, node: `node-${osd.domain}` }));
    const nodes = ['x', 'y'].map((zone) => aNode(`node-${zone}`));
    const record = (object: KubeObject, reason: string, note: string): Promise<void> => {
      told.push(`${object.kind} ${object.metadata.name} ${reason}: ${note}`);
      return Promise.resolve();
    };
    const { signal } = new AbortController();
    return tellOfHold({ protection, type: 'zone', osds }, said, aCluster('c'), { nodes }, record, signal);
  };

  test('is told once on the cluster and on the nodes of those that must stay', async () => {
    const stays: Protection = { ...DRAINING_X, stay: 'for a reason' };
    expect(await tell(DRAINING_X, undefined)).toBeUndefined();
    expect(await tell(stays, undefined)).toBe('x');
    expect(await tell(stays, 'x')).toBe('x');
    const note = 'zone x drains, and its OSDs that are up must stay as well: for a reason';
    expect(told).toEqual([`CephCluster c DrainHeld: ${note}`, `Node node-x DrainHeld: ${note}`]);
  });
});
