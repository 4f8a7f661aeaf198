import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aGraph, anyEdges, aRef, edgesFrom, reachability } from '#test/fixtures/graphs.ts';
import { walk, type Walk } from './walk.ts';

const names = ({ objects }: Walk) => [...objects.values()].map(({ name }) => name);
const pairs = ({ edges }: Walk) =>
  edges.map(({ dependent, provider }) => `${dependent.name}>${provider.name}`);

describe('walk', () => {
  const chain = aGraph(edgesFrom('a>b b>c c>d x>c'));

  test.for([
    { depth: 0, objects: ['d'], edges: [] },
    { depth: 1, objects: ['d', 'c'], edges: ['c>d'] },
    { depth: 2, objects: ['d', 'c', 'b', 'x'], edges: ['c>d', 'b>c', 'x>c'] },
    { depth: Infinity, objects: ['d', 'c', 'b', 'x', 'a'], edges: ['c>d', 'b>c', 'x>c', 'a>b'] },
  ])('goes $depth steps', ({ depth, objects, edges }) => {
    const walked = walk(chain, [aRef('d')], 'dependents', depth);
    expect(names(walked)).toEqual(objects);
    expect(pairs(walked)).toEqual(edges);
  });

  test('goes towards providers', () => {
    expect(names(walk(chain, [aRef('b')], 'providers'))).toEqual(['b', 'c', 'd']);
  });

  test('has a start that nothing refers to', () => {
    expect(names(walk(chain, [aRef('z')], 'dependents'))).toEqual(['z']);
  });

  test('goes from several starts, each edge once', () => {
    const walked = walk(chain, [aRef('c'), aRef('d')], 'dependents');
    expect(names(walked)).toEqual(['c', 'd', 'b', 'x', 'a']);
    expect(pairs(walked).sort()).toEqual(['a>b', 'b>c', 'c>d', 'x>c']);
  });

  test.for([
    { name: 'a cycle', edges: 'a>b b>c c>a', objects: ['a', 'c', 'b'], crossed: ['c>a', 'b>c', 'a>b'] },
    { name: 'a self edge', edges: 'a>a', objects: ['a'], crossed: ['a>a'] },
  ])('ends in $name', ({ edges, objects, crossed }) => {
    const walked = walk(aGraph(edgesFrom(edges)), [aRef('a')], 'dependents');
    expect(names(walked)).toEqual(objects);
    expect(pairs(walked)).toEqual(crossed);
  });

  test('goes the shortest way first, so that a limit cuts nothing that is near', () => {
    const graph = aGraph(edgesFrom('b>a c>b d>c d>a e>d'));
    expect(names(walk(graph, [aRef('a')], 'dependents', 2)).sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('reaches what can be reached, and crosses each edge once', () => {
    fc.assert(
      fc.property(anyEdges, (edges) => {
        const walked = walk(aGraph(edges), [aRef('a')], 'providers');
        const reachable = reachability(edges);
        const expected = 'bcdefgh'.split('').filter((name) => reachable.has(`a>${name}`));
        expect(names(walked).sort()).toEqual(['a', ...expected]);
        const inside = edges.filter(({ dependent }) => ['a', ...expected].includes(dependent.name));
        expect(walked.edges).toHaveLength(inside.length);
      }),
    );
  });
});
