import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import type { OsdFacts } from '#pkg/drain';
import { osdLabels } from '#test/fixtures/osds.ts';
import { blockingName, isOfRook, osdBudgets } from './budgets.ts';
import { decide, type Protection } from './decision.ts';
import { transition, type Step } from './transition.ts';

const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u', controller: true },
};
const DOMAINS = ['', 'x', 'y', 'z'];
const QUIET: Protection = { kind: 'default', excluded: [] };
const draining = (domain: string): Protection => ({ kind: 'blocking', draining: domain, isPlanned: true });

const budgets = (
  protection: Protection,
  domains: readonly string[] = ['x', 'y', 'z'],
): readonly KubeObject[] => osdBudgets(protection, 'zone', domains.map(osdIn), OWNER);

function osdIn(domain: string, id: number): OsdFacts {
  return { id, domain, isUnlabelled: domain === '', isDown: false, isDrained: false };
}

describe('14.7 budgets', () => {
  test('of a quiet cluster are one, which lets one OSD go', () => {
    expect(budgets(QUIET)).toMatchObject([
      {
        metadata: { name: 'rook-ceph-osd', namespace: 'rook-ceph' },
        spec: {
          maxUnavailable: 1,
          selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['rook-ceph-osd'] }] },
          unhealthyPodEvictionPolicy: 'IfHealthyBudget',
        },
      },
    ]);
  });

  test('leave out OSDs that are dead already', () => {
    expect(budgets({ kind: 'default', excluded: [1, 3, 5] })[0]?.['spec']).toMatchObject({
      selector: {
        matchExpressions: [{ key: 'app' }, { key: 'osd', operator: 'NotIn', values: ['1', '3', '5'] }],
      },
    });
  });

  test('during a drain are one for each other domain, and let nothing go', () => {
    expect(budgets(draining('x'))).toMatchObject(
      ['y', 'z'].map((zone) => ({
        metadata: { name: `rook-ceph-osd-zone-${zone}` },
        spec: { maxUnavailable: 0, selector: { matchLabels: { 'topology-location-zone': zone } } },
      })),
    );
  });

  test('W25 protect OSDs without a label, too', () => {
    const unplaced = budgets(draining('x'), ['', 'x']).at(-1);
    expect(unplaced?.metadata.name).toBe('rook-ceph-osd-unplaced');
    expect(selects(unplaced, osdLabels(0, {}))).toBe(true);
    expect(selects(unplaced, osdLabels(0, { zone: 'x' }))).toBe(false);
    for (const zone of ['', 'nobody-knows']) {
      expect(selects(unplaced, { ...osdLabels(0, {}), 'topology-location-zone': zone })).toBe(true);
    }
  });

  test('during a drain hold every OSD that is up and elsewhere once, whatever its labels tell', () => {
    const osd = fc.record({
      label: fc.constantFrom(undefined, '', 'x', 'y'),
      crush: fc.constantFrom('', 'x', 'y', 'z'),
      isDown: fc.boolean(),
      isDrained: fc.boolean(),
    });
    const before = fc.constantFrom(undefined, '', 'x');
    fc.assert(
      fc.property(fc.array(osd, { maxLength: 4 }), before, (found, was) => {
        const osds = found.map(({ label, crush, isDown, isDrained }, id) => ({
          ...osdIn(label ? label : crush, id),
          isUnlabelled: !label,
          isDown,
          isDrained: isDown && isDrained,
        }));
        const next = decide({ osds, cleanliness: 'unclean', draining: was });
        if (next.kind !== 'blocking') return;
        const made = osdBudgets(next, 'zone', osds, OWNER);
        for (const { id, domain, isDown } of osds) {
          const label = found[id]?.label;
          const labels = {
            ...osdLabels(id, {}),
            ...(label === undefined ? {} : { 'topology-location-zone': label }),
          };
          const isHeld = domain !== next.draining || (domain === '' && !isDown);
          expect(made.filter((budget) => selects(budget, labels))).toHaveLength(isHeld ? 1 : 0);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('are none for what others hold, whether it drains or not', () => {
    const osds = ['x', 'y', 'z'].map(osdIn);
    const gone = { ...osdIn('w', 9), isGone: true, isDown: true };
    const names = (protection: Protection, left: readonly number[]): readonly string[] =>
      osdBudgets(protection, 'zone', [...osds, gone], OWNER, new Set(left)).map(
        ({ metadata }) => metadata.name,
      );
    expect(names(QUIET, [0, 1, 2])).toEqual([]);
    expect(names(QUIET, [0, 1])).toEqual(['rook-ceph-osd']);
    expect(names(draining('x'), [0, 1, 2])).toEqual([]);
    expect(names(draining('x'), [1])).toEqual(['rook-ceph-osd-zone-z']);
    expect(osdBudgets(QUIET, 'zone', [], OWNER)).toHaveLength(1);
  });

  test('are none for a domain that has no Deployment any more', () => {
    const gone = { ...osdIn('w', 9), isGone: true, isDown: true };
    const made = osdBudgets(draining('x'), 'zone', [osdIn('x', 0), osdIn('y', 1), gone], OWNER);
    expect(made.map(({ metadata }) => metadata.name)).toEqual(['rook-ceph-osd-zone-y']);
  });

  test('W25 of OSDs without a label leave out those that others hold', () => {
    const osds = ['x', '', ''].map(osdIn);
    const made = (left: readonly number[]): readonly KubeObject[] =>
      osdBudgets(draining('x'), 'zone', osds, OWNER, new Set(left));
    expect(made([1, 2])).toEqual([]);
    const [unplaced, ...others] = made([1]);
    expect(others).toEqual([]);
    expect([1, 2].map((id) => selects(unplaced, osdLabels(id, {})))).toEqual([false, true]);
  });

  test('of a domain select nothing but OSDs, and refuse also those that are not ready while any is missing', () => {
    const [made] = budgets(draining('x'), ['x', 'y']);
    expect(selects(made, osdLabels(1, { zone: 'y' }))).toBe(true);
    expect(selects(made, { app: 'web', 'topology-location-zone': 'y' })).toBe(false);
    expect(made?.['spec']).toMatchObject({ unhealthyPodEvictionPolicy: 'IfHealthyBudget' });
  });

  test('are named as Rook names them', () => {
    expect(blockingName('host', 'minikube-m02')).toBe('rook-ceph-osd-host-minikube-m02');
    expect(blockingName('host', 'a'.repeat(44))).toHaveLength(63);
    expect(blockingName('host', 'a'.repeat(45))).toBe('rook-ceph-osd-host-52789e3423b72beeb898456a4f49662e');
    const long = 'k8s-worker-1234567890.this.is.a.very.very.long.node.name.example.com';
    expect(blockingName('host', long)).toBe('rook-ceph-osd-host-801a3ba95fe6ce6a3bd879552ca2a8b0');
  });
});

test('budgets that Rook left are recognised by name and cluster', () => {
  const [left] = budgets(QUIET);
  if (!left) throw new Error('there is none');
  const { labels: _, ...metadata } = left.metadata;
  expect(isOfRook({ ...left, metadata }, OWNER)).toBe(true);
  const other = { ...OWNER, reference: { ...OWNER.reference, uid: 'other' } };
  expect(isOfRook({ ...left, metadata }, other)).toBe(false);
  expect(isOfRook({ ...left, metadata: { ...metadata, name: 'my-osds' } }, OWNER)).toBe(false);
});

describe('a transition', () => {
  test('that changes nothing has no steps, whatever the server adds', () => {
    const present = budgets(QUIET).map((budget) => ({
      ...budget,
      metadata: { ...budget.metadata, uid: '1', resourceVersion: '7' },
      status: { disruptionsAllowed: 1 },
    }));
    expect(transition(present, budgets(QUIET))).toEqual([]);
  });

  test('into a drain makes the blocking budgets first, and then deletes the default', () => {
    const steps = transition(budgets(QUIET), budgets(draining('x')));
    expect(steps.map(line)).toEqual([
      'apply rook-ceph-osd-zone-y',
      'apply rook-ceph-osd-zone-z',
      'delete rook-ceph-osd',
    ]);
  });

  test('back makes the default first, and then deletes the blocking ones', () => {
    const steps = transition(budgets(draining('x')), budgets(QUIET));
    expect(steps.map(line)).toEqual([
      'apply rook-ceph-osd',
      'delete rook-ceph-osd-zone-y',
      'delete rook-ceph-osd-zone-z',
    ]);
  });

  test('W18 mends a budget that says something else', () => {
    const excluding = budgets({ kind: 'default', excluded: [4] });
    expect(transition(excluding, budgets(QUIET)).map(line)).toEqual(['apply rook-ceph-osd']);
    expect(transition(budgets(QUIET), excluding).map(line)).toEqual(['apply rook-ceph-osd']);
  });

  test('applies what is new by name, whichever OSD comes first', () => {
    const steps = transition([], budgets(draining('x'), ['z', 'y', 'x']));
    expect(steps.map(line)).toEqual(['apply rook-ceph-osd-zone-y', 'apply rook-ceph-osd-zone-z']);
  });

  test.for([
    { name: 'another number', spec: { maxUnavailable: 2 } },
    { name: 'another policy', spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
    { name: 'labels as well', spec: { selector: { matchLabels: { osd: '1' } } } },
    { name: 'expressions as well', spec: { selector: { matchExpressions: [] } } },
  ])('mends a budget with $name', ({ spec }) => {
    for (const wanted of [budgets(QUIET), budgets(draining('x'), ['x', 'y'])]) {
      const present = wanted.map((budget) => {
        const own = budget['spec'] as { readonly selector: object };
        const selector = { ...spec.selector, ...own.selector };
        return { ...budget, spec: { ...own, ...spec, selector } };
      });
      const isAsWanted = JSON.stringify(present) === JSON.stringify(wanted);
      expect(transition(present, wanted)).toHaveLength(isAsWanted ? 0 : 1);
    }
  });

  test('mends a budget that selects by labels where expressions are wanted', () => {
    const [wanted] = budgets(QUIET);
    if (!wanted) throw new Error('there is none');
    const selector = { matchLabels: { app: 'rook-ceph-osd' } };
    const present = { ...wanted, spec: { ...(wanted['spec'] as object), selector } };
    expect(transition([present], [wanted]).map(line)).toEqual(['apply rook-ceph-osd']);
  });

  test('W21 removes what belongs to another type of domain', () => {
    const old = osdBudgets(draining('a'), 'host', ['a', 'b'].map(osdIn), OWNER);
    expect(transition(old, budgets(QUIET)).map(line)).toEqual([
      'apply rook-ceph-osd',
      'delete rook-ceph-osd-host-b',
    ]);
  });

  test('holds an OSD by its domain before the budget of the unplaced gives it up', () => {
    const steps = transition(budgets(draining('x'), ['', 'x']), budgets(draining('x'), ['', 'x', 'y']));
    expect(steps.map(line)).toEqual(['apply rook-ceph-osd-zone-y', 'apply rook-ceph-osd-unplaced']);
  });

  test('W22 leaves no OSD without its budget at any instant, and none that drains with two', () => {
    const protection = fc.oneof(
      fc.record({ kind: fc.constant('default' as const), excluded: fc.subarray([0, 1]) }),
      fc.constantFrom(...DOMAINS).map(draining),
    );
    fc.assert(
      fc.property(protection, protection, (before, after) => {
        const steps = transition(budgets(before, DOMAINS), budgets(after, DOMAINS));
        let present = budgets(before, DOMAINS);
        for (const step of steps) {
          present = taken(present, step);
          for (const [id, zone] of DOMAINS.entries()) {
            const covering = present.filter((budget) => selects(budget, osdLabels(id, { zone }))).length;
            if (isFree(before, id, zone) || isFree(after, id, zone)) expect(covering).toBeLessThanOrEqual(1);
            if (!isFree(before, id, zone) && !isFree(after, id, zone))
              expect(covering).toBeGreaterThanOrEqual(1);
          }
        }
        expect(transition(present, budgets(after, DOMAINS))).toEqual([]);
      }),
    );
  });
});

/** Whether an OSD may go under a protection without any budget. */
function isFree(protection: Protection, id: number, zone: string): boolean {
  if (protection.kind === 'default') return protection.excluded.includes(id);
  return zone !== '' && protection.draining === zone;
}

function line({ kind, budget }: Step): string {
  return `${kind} ${budget.metadata.name}`;
}

function taken(present: readonly KubeObject[], { kind, budget }: Step): readonly KubeObject[] {
  const others = present.filter(({ metadata }) => metadata.name !== budget.metadata.name);
  return kind === 'apply' ? [...others, budget] : others;
}

/** As the API server reads a selector. */
function selects(budget: KubeObject | undefined, labels: Readonly<Record<string, string>>): boolean {
  const selector = ['spec', 'selector'];
  const fits = Object.entries(recordAt(budget, ...selector, 'matchLabels')).every(
    ([key, value]) => labels[key] === value,
  );
  return (
    fits &&
    listAt(budget, ...selector, 'matchExpressions').every((expression) => {
      const own = labels[textAt(expression, 'key') ?? ''];
      const isListed = listAt(expression, 'values').includes(own);
      const operator = textAt(expression, 'operator');
      if (operator === 'In') return isListed;
      return operator === 'NotIn' && !isListed;
    })
  );
}
