import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf } from '#pkg/object';
import { aGraph, anEdge, anyEdges, aRef, edgesFrom } from '#test/fixtures/graphs.ts';
import { compareEdges } from './edge.ts';
import { farEnd, Graph } from './graph.ts';

const key = (name: string) => keyOf(aRef(name));

describe('Graph', () => {
  test('answers both ways', () => {
    const graph = aGraph(edgesFrom('a>b c>b b>d'));
    expect(graph.edgesAt(key('b'), 'dependents').map(({ dependent }) => dependent.name)).toEqual(['a', 'c']);
    expect(graph.edgesAt(key('b'), 'providers').map(({ provider }) => provider.name)).toEqual(['d']);
    expect(graph.edgesAt(key('x'), 'dependents')).toEqual([]);
  });

  test('replaces what was read from a source, and nothing else', () => {
    const graph = new Graph();
    // The volume names the claim: the source is the provider.
    graph.replace(key('volume'), [anEdge('claim', 'volume')]);
    graph.replace(key('pod'), [anEdge('pod', 'claim')]);
    graph.replace(key('volume'), [anEdge('other', 'volume')]);
    expect(graph.edges()).toEqual([anEdge('other', 'volume'), anEdge('pod', 'claim')]);
    expect(graph.edgesAt(key('claim'), 'providers')).toEqual([]);
    graph.replace(key('volume'), []);
    expect(graph.edges()).toEqual([anEdge('pod', 'claim')]);
  });

  test('keeps equal edges of two sources apart', () => {
    const graph = new Graph();
    graph.replace(key('a'), [anEdge('a', 'b')]);
    graph.replace(key('b'), [anEdge('a', 'b')]);
    graph.replace(key('b'), []);
    expect(graph.edgesAt(key('b'), 'dependents')).toEqual([anEdge('a', 'b')]);
  });

  test('has at each end exactly the edges it has', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('s', 't'), anyEdges), { maxLength: 6 }),
        (replacements) => {
          const graph = new Graph();
          for (const [source, edges] of replacements) graph.replace(key(source), edges);
          const names = 'abcdefgh'.split('');
          for (const direction of ['dependents', 'providers'] as const) {
            const around = names.flatMap((name) => graph.edgesAt(key(name), direction));
            expect(around.sort(compareEdges)).toEqual(graph.edges());
          }
        },
      ),
    );
  });
});

test('edges sort by code, dependent, provider and field', () => {
  const sorted = [
    anEdge('b', 'b', { code: 'RD001' }),
    anEdge('a', 'a', { code: 'RD002' }),
    anEdge('a', 'b', { code: 'RD002' }),
    anEdge('a', 'b', { code: 'RD002', field: 'spec.x' }),
    anEdge('b', 'a', { code: 'RD002' }),
  ];
  expect(sorted.toReversed().sort(compareEdges)).toEqual(sorted);
});

test('the far end lies where the walk goes', () => {
  const [edge = anEdge('', '')] = edgesFrom('a>b');
  expect(farEnd(edge, 'dependents').name).toBe('a');
  expect(farEnd(edge, 'providers').name).toBe('b');
});
