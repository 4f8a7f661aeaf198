import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acyclicEdges, anEdge, anyEdges, edgesFrom, reachability } from '#test/fixtures/graphs.ts';
import { withoutShortcuts } from './reduce.ts';

describe('withoutShortcuts', () => {
  test.for([
    {
      name: 'a shortcut goes',
      edges: 'volume>pool pool>cluster volume>cluster',
      left: 'volume>pool pool>cluster',
    },
    { name: 'a long way counts', edges: 'a>b b>c c>d a>d', left: 'a>b b>c c>d' },
    { name: 'two ways of equal length stay', edges: 'a>b a>c b>d c>d', left: 'a>b a>c b>d c>d' },
    { name: 'a cycle stays', edges: 'a>b b>c c>a', left: 'a>b b>c c>a' },
    { name: 'both ways into a cycle stay', edges: 'a>b a>c b>c c>b', left: 'a>b a>c b>c c>b' },
    { name: 'a shortcut over a cycle goes', edges: 'a>b b>c c>b c>d a>d', left: 'a>b b>c c>b c>d' },
    { name: 'a self edge stays, and is no detour', edges: 'a>a a>b', left: 'a>a a>b' },
    { name: 'no edges stay none', edges: '', left: '' },
  ])('$name', ({ edges, left }) => {
    expect(withoutShortcuts(edgesFrom(edges))).toEqual(edgesFrom(left));
  });

  test('several mentions of one pair stay or go together', () => {
    const twice = [anEdge('a', 'b', { code: 'RD001' }), anEdge('a', 'b', { code: 'RD002' })];
    expect(withoutShortcuts(twice)).toEqual(twice);
    const way = edgesFrom('a>c c>b');
    expect(withoutShortcuts([...twice, ...way])).toEqual(way);
  });

  test('leaves reachable what was reachable', () => {
    fc.assert(
      fc.property(anyEdges, (edges) => {
        expect(reachability(withoutShortcuts(edges))).toEqual(reachability(edges));
      }),
    );
  });

  test('leaves no edge that a longer way tells', () => {
    fc.assert(
      fc.property(acyclicEdges, (edges) => {
        const left = withoutShortcuts(edges);
        for (const edge of left) {
          const others = left.filter(
            ({ dependent, provider }) =>
              dependent.name !== edge.dependent.name || provider.name !== edge.provider.name,
          );
          expect(reachability(others)).not.toContain(`${edge.dependent.name}>${edge.provider.name}`);
        }
      }),
    );
  });
});
