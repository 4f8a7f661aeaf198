import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anEdge, anyEdges, aRef, edgesFrom, reachability } from '#test/fixtures/graphs.ts';
import { deletionOrder } from './order.ts';
import type { Edge } from './edge.ts';

const NAMES = 'abcdefgh'.split('');

function order(edges: readonly Edge[], names: readonly string[] = NAMES): readonly (readonly string[])[] {
  return deletionOrder(names.map(aRef), edges).map((level) => level.map(({ name }) => name));
}

describe('deletionOrder', () => {
  test.for([
    { name: 'a chain', objects: 'abc', edges: 'a>b b>c', levels: [['a'], ['b'], ['c']] },
    { name: 'no edges', objects: 'cab', edges: '', levels: [['a', 'b', 'c']] },
    {
      name: 'a shortcut beside a longer way',
      objects: 'abc',
      edges: 'a>c a>b b>c',
      levels: [['a'], ['b'], ['c']],
    },
    { name: 'a cycle', objects: 'abcd', edges: 'a>b b>c c>b c>d', levels: [['a'], ['b', 'c'], ['d']] },
    { name: 'a self edge', objects: 'ab', edges: 'a>a a>b', levels: [['a'], ['b']] },
    { name: 'edges to what is not asked for', objects: 'ac', edges: 'a>b b>c x>a', levels: [['a', 'c']] },
    { name: 'repeated edges', objects: 'ab', edges: 'a>b a>b', levels: [['a'], ['b']] },
    { name: 'nothing', objects: '', edges: 'a>b', levels: [] },
  ])('of $name', ({ objects, edges, levels }) => {
    expect(order(edgesFrom(edges), objects.split(''))).toEqual(levels);
  });

  test('puts every dependent strictly before its provider, unless both are in one cycle', () => {
    fc.assert(
      fc.property(anyEdges, fc.subarray(NAMES), (edges, names) => {
        const levels = order(edges, names);
        expect(levels.flat().sort()).toEqual([...names].sort());
        expect(levels.every((level) => level.length > 0)).toBe(true);
        const levelOf = (name: string) => levels.findIndex((level) => level.includes(name));
        const known = edges.filter(
          ({ dependent, provider }) => names.includes(dependent.name) && names.includes(provider.name),
        );
        const reachable = reachability(known);
        for (const { dependent, provider } of known) {
          const inCycle = reachable.has(`${provider.name}>${dependent.name}`);
          if (inCycle) expect(levelOf(dependent.name)).toBe(levelOf(provider.name));
          else expect(levelOf(dependent.name)).toBeLessThan(levelOf(provider.name));
        }
      }),
    );
  });

  test('does not depend on the order of objects and edges', () => {
    fc.assert(
      fc.property(anyEdges, fc.shuffledSubarray(NAMES, { minLength: NAMES.length }), (edges, shuffled) => {
        expect(order(edges.toReversed(), shuffled)).toEqual(order(edges));
      }),
    );
  });

  test.for([
    { name: 'a chain', closes: false, levels: 20_000 },
    { name: 'a cycle', closes: true, levels: 1 },
  ])('takes $name of 20,000 objects', ({ closes, levels }) => {
    const names = Array.from({ length: 20_000 }, (_, index) => `o${index}`);
    const edges = names.slice(1).map((name, index) => anEdge(`o${index}`, name));
    if (closes) edges.push(anEdge('o19999', 'o0'));
    expect(deletionOrder(names.map(aRef), edges)).toHaveLength(levels);
  });
});
