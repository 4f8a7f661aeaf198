import { expect, test } from 'vitest';
import type { CrushNode } from '#pkg/ceph';
import { crushDomains } from './crush-domains.ts';

const node = (id: number, name: string, type: string, children: readonly number[]): CrushNode => ({
  id,
  name,
  type,
  level: 1,
  children,
});

test('an OSD is in the bucket of the type that is above it, and in none where it is in two', () => {
  const nodes = [
    node(-1, 'default', 'root', [-2, -3]),
    node(-2, 'x', 'zone', [-4]),
    node(-3, 'y', 'zone', [-5]),
    node(-4, 'node-a', 'host', [0, 1]),
    node(-5, 'node-b', 'host', [1, 2]),
  ];
  const tree = { nodes, strays: [7] };
  expect([...crushDomains('zone', tree)]).toEqual([
    [0, 'x'],
    [2, 'y'],
  ]);
  expect(crushDomains('host', tree).get(2)).toBe('node-b');
  expect(crushDomains('rack', tree).size).toBe(0);
});
