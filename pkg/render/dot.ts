import type { DependencyGraph, GraphNode } from './graph-document.ts';
import { printable } from './printable.ts';

/** For Graphviz: one cluster for each namespace, dashed edges for what does not block. */
export function renderDot({ nodes, edges }: DependencyGraph): string {
  const lines = ['digraph "rook-deps" {', '  rankdir=LR;', '  node [shape=box, fontname="sans-serif"];'];
  const byNamespace = [...Map.groupBy(nodes, ({ namespace }) => namespace ?? '')];
  for (const [at, [namespace, members]] of byNamespace.entries()) {
    if (namespace) lines.push(`  subgraph "cluster_${at}" {`, `    label=${quoted(namespace)};`);
    const indent = namespace ? '    ' : '  ';
    for (const node of members) lines.push(`${indent}${quoted(node.id)} [label=${quoted(label(node))}];`);
    if (namespace) lines.push('  }');
  }
  for (const { from, to, relation, blocks } of edges) {
    const dashed = blocks ? '' : ', style=dashed';
    lines.push(`  ${quoted(from)} -> ${quoted(to)} [label=${quoted(relation)}${dashed}];`);
  }
  return [...lines, '}'].join('\n');
}

function label({ kind, name }: GraphNode): string {
  return `${kind}\n${name}`;
}

/** Inside quotes only the quote and the backslash mean anything to Graphviz; a newline is written `\n`. */
function quoted(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => printable(line).replaceAll('\\', '\\\\').replaceAll('"', '\\"'));
  return `"${lines.join('\\n')}"`;
}
