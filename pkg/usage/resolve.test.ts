import { describe, expect, test } from 'vitest';
import { fieldAt, type Listing } from '#pkg/object';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import {
  configMap,
  selecting,
  side,
  SIGNAL,
  USAGE_REF,
  usageObject,
  USED_REF,
  UsageWorld,
} from '#test/fakes/usage-world.ts';
import { usageReconciler } from './reconciler.ts';

const OF = selecting({ role: 'used' });
const BY = selecting({ role: 'using' });
const USED = configMap('used', { labels: { role: 'used' } });
const USING = configMap('using', { labels: { role: 'using' } });

function unlistable(world: UsageWorld): () => Promise<unknown> {
  const listing: Listing = { items: [], gaps: [{ what: 'configmaps', reason: 'boom' }] };
  const ports = { ...world.ports, list: () => Promise.resolve(listing) };
  return () => usageReconciler(ports).reconcile(USAGE_REF, SIGNAL);
}

describe('selectors', () => {
  test.each([
    ['S1: of a usage with both names', { of: side('used'), by: side('using') }],
    ['S2: of a usage without a using object', { of: side('used'), reason: 'needed' }],
  ])('%s cost no list and change no spec', async (_title, spec) => {
    const world = new UsageWorld(USED, USING, usageObject(spec));
    await world.reconcile();
    expect(world.cluster.calls.filter(({ verb }) => verb === 'list')).toEqual([]);
    expect(fieldAt(world.cluster.at(USAGE_REF), 'spec')).toEqual(spec);
  });

  test.each([
    ['S3', 'of', { of: OF, reason: 'needed' }],
    ['S4', 'by', { of: side('used'), by: BY }],
  ])('%s: of spec.%s that cannot be listed fail, and say which', async (_id, name, spec) => {
    const world = new UsageWorld(USED, USING, usageObject(spec));
    const message = `spec.${name}.resourceSelector: cannot list resources matching labels: boom`;
    await expect(unlistable(world)()).rejects.toThrow(`cannot resolve ${message}`);
    expect(world.ready()).toBe('False/SelectorUnresolved');
    expect(world.message()).toBe(message);
  });

  test('S3: that cannot be listed are tried again without a further write', async () => {
    const world = new UsageWorld(USED, usageObject({ of: OF, reason: 'needed' }));
    await expect(unlistable(world)()).rejects.toThrow('boom');
    world.cluster.calls.length = 0;
    await expect(unlistable(world)()).rejects.toThrow('boom');
    expect(world.cluster.writes).toEqual([]);
    await world.reconcile();
    expect(world.ready()).toBe('True/Available');
  });

  test.each([
    ['S5', 'of', { of: OF, reason: 'needed' }],
    ['S6', 'by', { of: side('used'), by: BY }],
  ])('%s: whose finding cannot be written to spec.%s fail', async (_id, _name, spec) => {
    const world = new UsageWorld(USED, USING, usageObject(spec));
    world.failOn(({ body }) => JSON.stringify(body ?? {}).includes('resourceRef'));
    await expect(world.reconcile()).rejects.toThrow('boom');
    expect(world.isMarked(USED_REF)).toBe(false);
  });

  test.each([
    [422, 'SelectorUnresolved'],
    [403, 'Forbidden'],
  ])('whose finding is refused with %i say why', async (code, reason) => {
    const world = new UsageWorld(
      USED,
      USING,
      usageObject({ of: side('used'), by: selecting({ role: 'used' }) }),
    );
    world.failOn(
      ({ body }) => JSON.stringify(body ?? {}).includes('resourceRef'),
      new Refusal(code, 'x', 'cannot use itself'),
    );
    await expect(world.reconcile()).rejects.toThrow('cannot use itself');
    expect(world.ready()).toBe(`False/${reason}`);
    expect(world.message()).toBe('spec.by.resourceSelector: cannot take "used": cannot use itself');
  });

  test('S7: that match nothing say kind and labels', async () => {
    const world = new UsageWorld(usageObject({ of: OF, reason: 'needed' }));
    await world.reconcile();
    expect(world.ready()).toBe('False/SelectorUnresolved');
    expect(world.message()).toBe('spec.of.resourceSelector: no "ConfigMap" found matching labels: role=used');
    expect(world.cluster.at(USAGE_REF)?.metadata).not.toHaveProperty('finalizers');
  });

  test('S8: that want the same controller and find none say so', async () => {
    const of = selecting({ role: 'used' }, { matchControllerRef: true });
    const world = new UsageWorld(USED, usageObject({ of, reason: 'needed' }));
    await world.reconcile();
    expect(world.message()).toMatch(/role=used and with same controller reference$/);
  });

  test('S9: of both sides are resolved, and kept', async () => {
    const world = new UsageWorld(USED, USING, usageObject({ of: OF, by: BY }));
    await world.reconcile();
    expect(fieldAt(world.cluster.at(USAGE_REF), 'spec')).toEqual({
      of: { ...OF, resourceRef: { name: 'used' } },
      by: { ...BY, resourceRef: { name: 'using' } },
    });
    expect(world.ready()).toBe('True/Available');
  });

  test('are resolved once: what matches later changes nothing', async () => {
    const world = new UsageWorld(USED, usageObject({ of: OF, reason: 'needed' }));
    await world.reconcile();
    world.cluster.put(configMap('a', { labels: { role: 'used' } }));
    world.cluster.calls.length = 0;
    await world.reconcile();
    expect(world.cluster.writes).toEqual([]);
  });

  test('of another namespace write down where it was found', async () => {
    const of = selecting({ role: 'used' }, { namespace: 'there' });
    const there = configMap('used', { namespace: 'there', labels: { role: 'used' } });
    const world = new UsageWorld(USED, there, usageObject({ of, reason: 'needed' }));
    await world.reconcile();
    expect(fieldAt(world.cluster.at(USAGE_REF), 'spec', 'of', 'resourceRef')).toEqual({
      name: 'used',
      namespace: 'there',
    });
    expect(world.isMarked({ ...USED_REF, namespace: 'there' })).toBe(true);
    expect(world.isMarked(USED_REF)).toBe(false);
  });

  test('of a cluster-scoped kind write no namespace', async () => {
    const gadget = { apiVersion: 'example.org/v1', kind: 'Gadget' };
    const world = new UsageWorld(
      { ...gadget, metadata: { name: 'used', labels: { role: 'used' } } },
      usageObject({ of: { ...OF, ...gadget }, reason: 'needed' }),
    );
    await world.reconcile();
    expect(fieldAt(world.cluster.at(USAGE_REF), 'spec', 'of', 'resourceRef')).toEqual({ name: 'used' });
  });
});
