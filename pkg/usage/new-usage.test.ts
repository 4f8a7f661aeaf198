import { describe, expect, test } from 'vitest';
import { configMap } from '#test/fakes/usage-world.ts';
import { newUsage } from './new-usage.ts';

const USED = configMap('used');
const GADGET = { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'used' } };

function gadgetOf(group: string): typeof GADGET {
  return { ...GADGET, apiVersion: `${group}/v1` };
}

function nameOf(parts: Partial<Parameters<typeof newUsage>[0]>): string {
  return newUsage({ of: USED, replayDeletion: false, ...parts }).metadata.name;
}

describe('a new usage', () => {
  test('is in the namespace of its object', () => {
    expect(newUsage({ of: USED, reason: 'needed', replayDeletion: true })).toEqual({
      apiVersion: 'rook-deps.io/v1alpha1',
      kind: 'Usage',
      metadata: { name: 'protect-configmap-used', namespace: 'here' },
      spec: {
        of: { apiVersion: 'v1', kind: 'ConfigMap', resourceRef: { name: 'used' } },
        reason: 'needed',
        replayDeletion: true,
      },
    });
  });

  test('of an object without a namespace is a ClusterUsage, and says where its user is', () => {
    const { kind, metadata, spec } = newUsage({ of: GADGET, by: configMap('using'), replayDeletion: false });
    expect(kind).toBe('ClusterUsage');
    expect(metadata).not.toHaveProperty('namespace');
    expect(spec).toMatchObject({ by: { resourceRef: { name: 'using', namespace: 'here' } } });
  });

  test('is called by what it is of, and by what', () => {
    expect(nameOf({ by: configMap('using') })).toBe('configmap-using-uses-configmap-used');
  });

  test('asked for twice has one name', () => {
    const of = configMap('x'.repeat(80));
    expect(nameOf({ of })).toBe(nameOf({ of: configMap('x'.repeat(80)) }));
  });

  test.each([
    ['long names', configMap(`${'x'.repeat(80)}a`), configMap(`${'x'.repeat(80)}b`)],
    ['names with dots', configMap('a.b'), configMap('a-b')],
    ['kinds of two groups', gadgetOf('a.example.org'), gadgetOf('b.example.org')],
    ['names with colons', configMap('a:b'), configMap('a.b')],
  ])('of %s that would be cut or changed alike has its own name', (_title, a, b) => {
    expect(nameOf({ of: a })).not.toBe(nameOf({ of: b }));
  });

  test('by objects of the same name in two namespaces has two names', () => {
    const names = ['here', 'there', 'anywhere'].map((namespace) =>
      nameOf({ by: configMap('using', { namespace }) }),
    );
    expect(new Set(names).size).toBe(3);
  });

  test('has a name that is valid, whatever its object is called', () => {
    const odd = [
      configMap('system:x.Y_z'),
      configMap(`${'x'.repeat(44)}-------------`),
      configMap('x'.repeat(253)),
    ];
    for (const of of odd) expect(nameOf({ of })).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  });
});
