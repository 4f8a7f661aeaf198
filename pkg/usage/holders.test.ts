import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { configMap, namespace, selecting, side, usage } from '#test/fakes/usage-world.ts';
import { holdersOf, usagesOf } from './holders.ts';
import { parseUsage, type Usage } from './usage.ts';

const HELD = usage({ of: side('used'), reason: 'needed' });

function clusterUsage(of: object): Usage {
  return parseUsage({
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'ClusterUsage',
    metadata: { name: 'all' },
    spec: { of, reason: 'needed' },
  });
}

function gadget(apiVersion: string, kind: string, name: string, metadata = {}): KubeObject {
  return { apiVersion, kind, metadata: { name, ...metadata } };
}

function holds(one: Usage, object: KubeObject): boolean {
  return holdersOf(object, [one]).length > 0;
}

test('a usage names its object, not the namespace that it holds for it', () => {
  expect(usagesOf(configMap('used'), [HELD])).toEqual([HELD]);
  expect(usagesOf(namespace('here'), [HELD])).toEqual([]);
  expect(holds(HELD, namespace('here'))).toBe(true);
});

test('a usage of an object without a namespace does not hold its own namespace', () => {
  const of = { apiVersion: 'example.org/v1', kind: 'Gadget', resourceRef: { name: 'used' } };
  const spec = { of, reason: 'needed' };
  expect(holds(usage(spec, {}, { of: { uid: 'u' } }), namespace('here'))).toBe(false);
  expect(holds(usage(spec, {}, { of: { uid: 'u', namespace: 'here' } }), namespace('here'))).toBe(true);
});

test('a usage holds the definition of usages, with which it would go', () => {
  const definition = {
    ...gadget('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'usages.rook-deps.io'),
    spec: { group: 'rook-deps.io', names: { kind: 'Usage' } },
  };
  expect(holds(HELD, definition)).toBe(true);
  expect(holds(clusterUsage(side('used')), definition)).toBe(false);
});

test('a usage whose object is missing holds neither its namespace nor its definition', () => {
  const conditions = [{ type: 'Ready', status: 'False', reason: 'UsedNotFound' }];
  const missing = usage({ of: side('used'), reason: 'needed' }, {}, { conditions });
  expect(holds(missing, namespace('here'))).toBe(false);
  expect(holds(missing, configMap('used'))).toBe(true);
});

describe('a usage holds', () => {
  test('the object it names, and no other', () => {
    expect(holds(HELD, configMap('used'))).toBe(true);
    expect(holds(HELD, configMap('other'))).toBe(false);
    expect(holds(HELD, configMap('used', { namespace: 'there' }))).toBe(false);
    expect(holds(HELD, { ...configMap('used'), kind: 'Secret' })).toBe(false);
    expect(holds(HELD, { ...configMap('used'), apiVersion: 'example.org/v1' })).toBe(false);
  });

  test('its object whatever version it is read in', () => {
    const of = { apiVersion: 'example.org/v1', kind: 'Gadget', resourceRef: { name: 'used' } };
    const object = gadget('example.org/v1beta1', 'Gadget', 'used');
    expect(holds(usage({ of, reason: 'needed' }), object)).toBe(true);
  });

  test('F4: together with usages of the other kind, in the order they are given', () => {
    const all = clusterUsage(side('used', { resourceRef: { name: 'used', namespace: 'here' } }));
    const holders = holdersOf(configMap('used'), [HELD, all]);
    expect(holders.map(({ ref }) => ref.kind)).toEqual(['Usage', 'ClusterUsage']);
  });

  test('F5: nothing of another group and kind whose name, joined, reads alike', () => {
    const of = { apiVersion: 'example.org/v1', kind: 'Foo', resourceRef: { name: 'bar' } };
    const one = usage({ of, reason: 'needed' }, { namespace: 'x' });
    expect(holds(one, gadget('example.org/v1', 'Foo', 'bar', { namespace: 'x' }))).toBe(true);
    expect(holds(one, gadget('example/v1', 'org', 'Foo.bar', { namespace: 'x' }))).toBe(false);
  });

  test('F6: nothing of another group and kind, the other way round', () => {
    const of = { apiVersion: 'example/v1', kind: 'org', resourceRef: { name: 'Foo.bar' } };
    const one = usage({ of, reason: 'needed' }, { namespace: 'x' });
    expect(holds(one, gadget('example/v1', 'org', 'Foo.bar', { namespace: 'x' }))).toBe(true);
    expect(holds(one, gadget('example.org/v1', 'Foo', 'bar', { namespace: 'x' }))).toBe(false);
  });

  test('an object without a namespace from within one', () => {
    const of = { apiVersion: 'example.org/v1', kind: 'Gadget', resourceRef: { name: 'used' } };
    expect(holds(usage({ of, reason: 'needed' }), gadget('example.org/v1', 'Gadget', 'used'))).toBe(true);
  });

  test('from outside any namespace the one object that it names', () => {
    const all = clusterUsage(side('used', { resourceRef: { name: 'used', namespace: 'here' } }));
    expect(holds(all, configMap('used'))).toBe(true);
    expect(holds(all, configMap('used', { namespace: 'there' }))).toBe(false);
    expect(holds(clusterUsage(side('used')), configMap('used'))).toBe(false);
  });

  test('the namespace of its object', () => {
    const there = usage({
      of: side('used', { resourceRef: { name: 'used', namespace: 'there' } }),
      reason: 'x',
    });
    expect(holds(HELD, namespace('here'))).toBe(true);
    expect(holds(there, namespace('there'))).toBe(true);
    expect(holds(there, namespace('here'))).toBe(false);
  });

  test('the definition of the kind of its object', () => {
    const of = { apiVersion: 'example.org/v1', kind: 'Gadget', resourceRef: { name: 'used' } };
    const held = usage({ of, reason: 'needed' });
    const definition = (group: string, kind: string): KubeObject => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'x' },
      spec: { group, names: { kind } },
    });
    expect(holds(held, definition('example.org', 'Gadget'))).toBe(true);
    expect(holds(held, definition('example.com', 'Gadget'))).toBe(false);
    expect(holds(held, definition('example.org', 'Widget'))).toBe(false);
  });

  test('nothing once it is released', () => {
    const released = usage({ of: side('used'), reason: 'needed' }, {}, { released: true });
    expect(holds(released, configMap('used'))).toBe(false);
    expect(holds(released, namespace('here'))).toBe(false);
  });

  test('nothing while its selector is not resolved', () => {
    expect(holds(usage({ of: selecting({}), reason: 'needed' }), configMap('used'))).toBe(false);
  });
});
