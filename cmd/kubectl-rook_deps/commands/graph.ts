import { compareEdges, walk, type Edge } from '#pkg/graph';
import { isRookKind, refOf, UserError, type KubeObject } from '#pkg/object';
import { graphDocument, renderDot, renderMermaid } from '#pkg/render';
import { DependencyIndex, needsOfGraph } from '#pkg/rules';
import { gather } from '#pkg/verdict';
import type { Command } from '../command.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { FROM_FLAG, openSource, warn } from '../wiring.ts';

const FORMATS = ['dot', 'json', 'mermaid', 'yaml'];

export const graph: Command = {
  name: 'graph',
  summary: 'The whole dependency graph as DOT, Mermaid or JSON',
  description: `Prints the dependency graph of the Rook resources in a namespace, or in all, with everything that depends on them.

Edges point from the dependent to what it needs; those that do not block a deletion are dashed.`,
  usage: 'graph [-n NAMESPACE | -A] [-o dot|mermaid|json|yaml] [flags] [options]',
  examples: [
    { what: 'A picture', line: 'kubectl rook-deps graph -n rook-ceph -o dot | dot -Tsvg > rook.svg' },
    { what: 'For a page in Markdown', line: 'kubectl rook-deps graph -n rook-ceph -o mermaid' },
    { what: 'For a program, from saved manifests', line: 'kubectl rook-deps graph -A -o json --from dump/' },
  ],
  flags: {
    output: outputFlag(FORMATS),
    'all-namespaces': { type: 'boolean', alias: 'A', describe: 'The Rook resources of all namespaces.' },
    from: FROM_FLAG,
  },
  async run(args, io, signal) {
    const format = outputFormat(args, FORMATS) ?? 'dot';
    const [extra] = args.words;
    if (extra !== undefined)
      throw new UserError(`error: unexpected argument "${extra}": graph takes no resource`);
    const source = await openSource(args, io, signal);
    try {
      const namespace = args.isSet('all-namespaces') ? undefined : source.namespace;
      const { items, gaps } = await gather(source.reader, needsOfGraph(namespace), signal);
      const index = new DependencyIndex(items);
      const roots = items.filter((object) => isRoot(object, namespace)).map(refOf);
      const down = walk(index.graph, roots, 'dependents');
      const up = walk(index.graph, roots, 'providers');
      const refs = [...down.objects.values(), ...up.objects.values()];
      const edges = [...new Set<Edge>([...down.edges, ...up.edges])].sort(compareEdges);
      const document = graphDocument(
        index,
        refs,
        edges,
        gaps.map(({ gap }) => gap),
      );
      if (roots.length === 0)
        io.error(namespace ? `No resources found in ${namespace} namespace.` : 'No resources found');
      if (format === 'dot') io.print(renderDot(document));
      else if (format === 'mermaid') io.print(renderMermaid(document));
      else io.print(await serialized(document, format === 'yaml' ? 'yaml' : 'json'));
      for (const { gap } of gaps) warn(io, `not checked: ${gap.what}: ${gap.reason}`);
      return 0;
    } finally {
      source.close();
    }
  },
};

function isRoot(object: KubeObject, namespace: string | undefined): boolean {
  return isRookKind(refOf(object)) && (namespace === undefined || object.metadata.namespace === namespace);
}
