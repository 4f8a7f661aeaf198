import type { DependencyGraph } from './graph-document.ts';
import { printable } from './printable.ts';

/** For Markdown: a flowchart with short ids, one subgraph for each namespace, dotted edges for what does not block. */
export function renderMermaid({ nodes, edges }: DependencyGraph): string {
  const ids = new Map(nodes.map(({ id }, at) => [id, `n${at + 1}`]));
  const lines = ['flowchart LR'];
  const byNamespace = [...Map.groupBy(nodes, ({ namespace }) => namespace ?? '')];
  for (const [at, [namespace, members]] of byNamespace.entries()) {
    if (namespace) lines.push(`  subgraph s${at + 1}["${escaped(namespace)}"]`);
    const indent = namespace ? '    ' : '  ';
    for (const { id, kind, name } of members) {
      lines.push(`${indent}${ids.get(id) ?? ''}["${escaped(kind)}<br/>${escaped(name)}"]`);
    }
    if (namespace) lines.push('  end');
  }
  for (const { from, to, relation, blocks } of edges) {
    const arrow = blocks ? '-->' : '-.->';
    lines.push(`  ${ids.get(from) ?? ''} ${arrow}|"${escaped(relation)}"| ${ids.get(to) ?? ''}`);
  }
  return lines.join('\n');
}

/** Labels are HTML in quotes to Mermaid, which has entities of its own that start with `#`. */
function escaped(text: string): string {
  return printable(text)
    .replaceAll('#', '#35;')
    .replaceAll('`', '#96;')
    .replaceAll('&', '&amp;')
    .replaceAll('"', '#quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
