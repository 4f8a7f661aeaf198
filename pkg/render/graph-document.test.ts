import { describe, expect, test } from 'vitest';
import { Graph } from '#pkg/graph';
import { Kinds, refOf, type KubeObject } from '#pkg/object';
import { DependencyIndex } from '#pkg/rules';
import { aClass, aCluster, anObject, aPool, aRadosNamespace } from '#test/fixtures/objects.ts';
import { renderDot } from './dot.ts';
import { graphDocument, type DependencyGraph } from './graph-document.ts';
import { renderMermaid } from './mermaid.ts';

function documentOf(objects: readonly KubeObject[], roots?: readonly KubeObject[]): DependencyGraph {
  const index = new DependencyIndex(objects);
  return graphDocument(index, objects.map(refOf), index.graph.edges(), [], roots?.map(refOf));
}

const STORAGE = [
  aCluster('rook-ceph', { status: { phase: 'Ready' } }),
  aPool('p'),
  aRadosNamespace('t', 'p'),
  aClass('fast', 'rook-ceph.rbd.csi.ceph.com', { clusterID: 'rook-ceph', pool: 'p' }),
];

describe('the document', () => {
  test('has the agreed shape', async () => {
    const document = documentOf(STORAGE, STORAGE.slice(0, 1));
    await expect(`${JSON.stringify(document, undefined, 2)}\n`).toMatchFileSnapshot(
      '../../test/fixtures/golden/graph.json.txt',
    );
  });

  test('is the same whatever the order of the objects', () => {
    expect(documentOf(STORAGE.toReversed())).toEqual(documentOf(STORAGE));
  });

  test('has roots only if it was asked for some', () => {
    expect(documentOf(STORAGE)).not.toHaveProperty('roots');
  });

  test('orders all it holds so that every blocking edge leads to a later list', () => {
    const { nodes, edges, deletionOrder } = documentOf(STORAGE);
    const level = new Map(deletionOrder.flatMap((ids, at) => ids.map((id) => [id, at] as const)));
    expect([...level.keys()].toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
    for (const { from, to } of edges.filter(({ blocks }) => blocks)) {
      expect(level.get(from) ?? 0).toBeLessThan(level.get(to) ?? 0);
    }
  });

  test('holds the ends of its edges, though nobody has seen them', () => {
    const { nodes } = documentOf([aRadosNamespace('t', 'gone')]);
    expect(nodes.map(({ id }) => id)).toContain('CephBlockPool.ceph.rook.io/rook-ceph/gone');
  });

  test('is valid when there is nothing', () => {
    const empty = graphDocument(new DependencyIndex(), [], new Graph().edges(), []);
    expect(empty).toMatchObject({ nodes: [], edges: [], deletionOrder: [] });
    expect(renderDot(empty)).toMatch(/^digraph "rook-deps" \{[^]*\}$/);
    expect(renderMermaid(empty)).toBe('flowchart LR');
  });
});

describe('pictures', () => {
  const hostile = [
    aPool('a"];evil[label="\\', { namespace: 'n"}\u001b' }),
    anObject(Kinds.PersistentVolume, 'x<script>&#quot;`'),
  ];

  test('in DOT look as agreed', async () => {
    await expect(`${renderDot(documentOf(STORAGE))}\n`).toMatchFileSnapshot(
      '../../test/fixtures/golden/graph.dot',
    );
  });

  test('in Mermaid look as agreed', async () => {
    await expect(`${renderMermaid(documentOf(STORAGE))}\n`).toMatchFileSnapshot(
      '../../test/fixtures/golden/graph.mmd',
    );
  });

  test('in DOT keep every name inside its quotes', () => {
    const dot = renderDot(documentOf(hostile));
    expect(dot).not.toContain('\u001b');
    for (const line of dot.split('\n')) {
      const outside = line.replace(/"(?:\\.|[^"\\])*"/g, 'Q');
      expect(outside).toMatch(
        /^(digraph Q \{| *rankdir=LR;| *node \[shape=box, fontname=Q\];| *subgraph Q \{| *label=Q;| *Q \[label=Q\];| *\}|Q -> Q.*)$/,
      );
    }
    expect(dot).toContain(String.raw`label="CephBlockPool\na\"];evil[label=\"\\"`);
  });

  test('in Mermaid keep every name a plain label', () => {
    const mermaid = renderMermaid(documentOf(hostile));
    expect(mermaid).toContain('["CephBlockPool<br/>a#quot;];evil[label=#quot;\\"]');
    expect(mermaid).toContain('["PersistentVolume<br/>x&lt;script&gt;&amp;#35;quot;#96;"]');
    expect(mermaid).not.toContain('\u001b');
    for (const line of mermaid.split('\n')) expect(line.split('"').length % 2).toBe(1);
  });
});
