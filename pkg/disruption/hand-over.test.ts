import { expect, test } from 'vitest';
import type { Ceph } from '#pkg/ceph';
import type { NooutRecord } from '#pkg/drain';
import type { KubeObject, Writer } from '#pkg/object';
import { budget, osdBudgets } from './budgets.ts';
import { handOver, withdraw } from './hand-over.ts';
import type { Observation } from './observation.ts';

const { signal } = new AbortController();
const OWNER = {
  namespace: 'rook-ceph',
  reference: { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'c', uid: 'u' },
};
const FLAG: NooutRecord = { domain: 'x', since: 1, phase: 'set' };
const [standard] = osdBudgets({ kind: 'default', excluded: [] }, 'zone', [], OWNER);
const blocking = budget('rook-ceph-osd-zone-y', 'osd', { maxUnavailable: 0, selector: {} }, OWNER);
const monitors = budget('rook-ceph-mon-pdb', 'daemon', { maxUnavailable: 1, selector: {} }, OWNER);

function unmarked(object: KubeObject | undefined): KubeObject {
  if (!object) throw new Error('there is none');
  const { labels: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Nothing, but for what a test names. */
function seen(parts: Partial<Observation>): Observation {
  const none: readonly KubeObject[] = [];
  const empty = { deployments: none, pods: none, nodes: none, services: none, budgets: none };
  return { ...empty, state: { noout: [] }, hasState: false, ...parts };
}

class Notebook {
  readonly lines: string[] = [];

  readonly writer: Writer = {
    create: () => Promise.reject(new Error('not used here')),
    createReview: () => Promise.reject(new Error('not used here')),
    patch: (ref) => {
      this.lines.push(`leave ${ref.name}`);
      return Promise.resolve(undefined as never);
    },
    apply: (object) => {
      this.lines.push(`apply ${object.metadata.labels ? 'our ' : ''}${object.metadata.name}`);
      return Promise.resolve(object);
    },
    delete: (ref) => {
      this.lines.push(`delete ${ref.name}`);
      return Promise.resolve('deleted');
    },
  };

  /** Where noout is set on zone x. */
  readonly ceph = {
    osdMap: () => Promise.resolve({ bucketFlags: new Map([['x', ['noout']]]) }),
    crushTree: () => Promise.resolve({ nodes: [{ name: 'x' }], strays: [] }),
    unsetNoout: (bucket: string) => {
      this.lines.push(`unset ${bucket}`);
      return Promise.resolve();
    },
  } as unknown as Ceph;
}

test('without anything of ours nothing is written, and nothing is told', async () => {
  const { writer, ceph, lines } = new Notebook();
  const rooks = seen({ budgets: [unmarked(standard), unmarked(blocking), unmarked(monitors)] });
  expect(await handOver(rooks, OWNER, ceph, writer, signal)).toBe(false);
  expect(lines).toEqual([]);
});

test('W19 notes of Rook about flags of its own are not acted on', async () => {
  const { writer, ceph, lines } = new Notebook();
  expect(await handOver(seen({ state: { noout: [FLAG] } }), OWNER, ceph, writer, signal)).toBe(false);
  expect(lines).toEqual([]);
});

test('of the budgets of OSDs the default one stays, without our mark, and is made again if Rook has deleted it', async () => {
  const { writer, ceph, lines } = new Notebook();
  expect(await handOver(seen({ budgets: [blocking] }), OWNER, ceph, writer, signal)).toBe(true);
  expect(lines).toEqual(['apply our rook-ceph-osd', 'delete rook-ceph-osd-zone-y', 'apply rook-ceph-osd']);
});

test('our own default budget only loses its mark', async () => {
  const { writer, ceph, lines } = new Notebook();
  expect(await handOver(seen({ budgets: standard ? [standard] : [] }), OWNER, ceph, writer, signal)).toBe(
    true,
  );
  expect(lines).toEqual(['apply rook-ceph-osd']);
});

test('where Rook has its own already, that is not touched', async () => {
  const { writer, ceph, lines } = new Notebook();
  const both = seen({ budgets: [unmarked(standard), blocking] });
  expect(await handOver(both, OWNER, ceph, writer, signal)).toBe(true);
  expect(lines).toEqual(['delete rook-ceph-osd-zone-y']);
});

test('budgets of daemons go, if they are ours and Rook has none of their name', async () => {
  const { writer, ceph, lines } = new Notebook();
  const mirror = budget('mirror', 'daemon', { selector: {} }, OWNER);
  const theirs = unmarked(budget('theirs', 'daemon', { selector: {} }, OWNER));
  const all = seen({ budgets: [monitors, mirror, theirs] });
  expect(await handOver(all, OWNER, ceph, writer, signal)).toBe(true);
  expect(lines).toEqual(['leave rook-ceph-mon-pdb', 'delete mirror']);
});

test('flags go before the notes on them', async () => {
  const { writer, ceph, lines } = new Notebook();
  const state = seen({ state: { noout: [FLAG] }, hasState: true });
  expect(await handOver(state, OWNER, ceph, writer, signal)).toBe(true);
  expect(lines).toEqual(['unset x', 'apply our rook-deps-disruption', 'delete rook-deps-disruption']);
});

test('without a way to Ceph the notes on flags stay, and without flags nobody needs one', async () => {
  const { writer, lines } = new Notebook();
  const flagged = seen({ state: { noout: [FLAG] }, hasState: true });
  await expect(handOver(flagged, OWNER, undefined, writer, signal)).rejects.toThrow('no way to Ceph');
  expect(lines).toEqual([]);
  await handOver(seen({ hasState: true }), OWNER, undefined, writer, signal);
  expect(lines).toEqual(['delete rook-deps-disruption']);
});

test('with the last OSD everything of ours goes, and nothing else', async () => {
  const { writer, ceph, lines } = new Notebook();
  const rooks = unmarked(monitors);
  const all = seen({ budgets: standard ? [standard, rooks] : [] });
  expect(await withdraw(all, OWNER, ceph, writer, signal)).toBe(true);
  expect(lines).toEqual(['delete rook-ceph-osd']);
});
