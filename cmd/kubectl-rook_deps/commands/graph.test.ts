import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { DependencyGraph } from '#pkg/render';
import { run, type Outcome } from '#test/fakes/program.ts';
import { aCluster, aPool, aRadosNamespace } from '#test/fixtures/objects.ts';

const STDIN = JSON.stringify([
  aCluster(),
  aPool('p'),
  aRadosNamespace('t', 'p'),
  aPool('far', { namespace: 'north' }),
]);
const graph = (line: string): Promise<Outcome> => run(`graph --from - ${line}`, { stdin: STDIN });
const names = ({ out }: Outcome): readonly string[] =>
  (JSON.parse(out) as DependencyGraph).nodes.map(({ name }) => name);

describe('graph', () => {
  test('holds the namespace that was asked for, or all', async () => {
    expect(names(await graph('-n rook-ceph -o json'))).toEqual(['p', 't', 'rook-ceph']);
    expect(names(await graph('-n north -o json'))).toEqual(['far']);
    expect(names(await graph('-A -n north -o json'))).toEqual(['far', 'p', 't', 'rook-ceph']);
    expect(names(await graph('-o json'))).toEqual(['far', 'p', 't', 'rook-ceph']);
  });

  test('is DOT unless another form is asked for', async () => {
    expect((await graph('')).out).toMatch(/^digraph "rook-deps" \{\n/);
    expect((await graph('-o dot')).out).toBe((await graph('')).out);
    expect((await graph('-o mermaid')).out).toMatch(/^flowchart LR\n/);
  });

  test('says the same as YAML and as JSON', async () => {
    expect(parse((await graph('-o yaml')).out)).toEqual(JSON.parse((await graph('-o json')).out));
  });

  test('of the example cluster has every edge between nodes it holds, in an order that respects them', async () => {
    const { out } = await run('graph -A -o json --from docs/examples');
    const { nodes, edges, deletionOrder } = JSON.parse(out) as DependencyGraph;
    const level = new Map(deletionOrder.flatMap((ids, at) => ids.map((id) => [id, at] as const)));
    expect(level.size).toBe(nodes.length);
    expect(edges.length).toBeGreaterThan(100);
    for (const { from, to, blocks } of edges) {
      const distance = (level.get(to) ?? NaN) - (level.get(from) ?? NaN);
      expect(blocks ? distance > 0 : !Number.isNaN(distance), `${from} -> ${to}`).toBe(true);
    }
  });

  test('of a part of the example cluster looks as agreed', async () => {
    const { out } = await run('graph -n media -o mermaid --from docs/examples');
    await expect(out).toMatchFileSnapshot('../../../test/fixtures/golden/graph-media.mmd');
  });

  test('of nothing is still a graph, and says so on standard error', async () => {
    const { code, out, err } = await graph('-n nowhere -o mermaid');
    expect({ code, out, err }).toEqual({
      code: 0,
      out: 'flowchart LR\n',
      err: 'No resources found in nowhere namespace.\n',
    });
  });

  test('takes no resource', async () => {
    expect(await graph('cephbp/p')).toEqual({
      code: 1,
      out: '',
      err: 'error: unexpected argument "cephbp/p": graph takes no resource\n',
    });
  });

  test('refuses a form it does not know', async () => {
    expect((await graph('-o svg')).err).toContain('allowed formats are: dot,json,mermaid,yaml');
  });
});
