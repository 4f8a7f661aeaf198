import { walk } from '#pkg/graph';
import { kindKey, refOf, UserError, type KubeObject } from '#pkg/object';
import { graphDocument, renderTree, treeNames, type TreeRequest } from '#pkg/render';
import { DependencyIndex, needsOfTree } from '#pkg/rules';
import { gather, gatherComposition, type Gathered } from '#pkg/verdict';
import type { Args } from '../args.ts';
import type { Command } from '../command.ts';
import type { Io } from '../io.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { requireResource } from '../resource-args.ts';
import { findSubjects, noneFound, SUBJECT_FLAGS } from '../subjects.ts';
import { styleOf } from '../terminal.ts';
import { FROM_FLAG, openSource, warn } from '../wiring.ts';

const FORMATS = ['json', 'name', 'wide', 'yaml'];

export const tree: Command = {
  name: 'tree',
  summary: 'Everything that depends on a resource, or that it depends on',
  description: `Shows everything that depends on a resource, however far, as a tree with the relation and the status on each line.

An object stands below the nearest thing it needs. With --up the tree shows what the resource itself depends on.`,
  usage: 'tree (TYPE NAME... | TYPE/NAME... | TYPE) [--up] [--depth N] [flags] [options]',
  examples: [
    {
      what: 'All that depends on the cluster',
      line: 'kubectl rook-deps tree cephcluster/rook-ceph -n rook-ceph',
    },
    {
      what: 'What a claim depends on, up to the cluster',
      line: 'kubectl rook-deps tree pvc/db-data -n shop --up',
    },
    {
      what: 'The first two levels, from saved manifests',
      line: 'kubectl rook-deps tree cephfs/myfs --depth 2 --from dump/',
    },
  ],
  flags: {
    output: outputFlag(FORMATS),
    up: { type: 'boolean', describe: 'Show what the resource depends on, instead of what depends on it.' },
    depth: { type: 'string', describe: 'How many levels to show; all by default.' },
    ...SUBJECT_FLAGS,
    from: FROM_FLAG,
    'no-headers': { type: 'boolean', describe: "Don't print headers." },
  },
  async run(args, io, signal) {
    const format = outputFormat(args, FORMATS);
    const depth = depthOf(args);
    const direction = args.isSet('up') ? 'providers' : 'dependents';
    requireResource(args.words);
    const source = await openSource(args, io, signal);
    try {
      const subjects = await findSubjects(args, source, signal);
      if (subjects.length === 0) {
        io.error(noneFound(args, source));
        return 0;
      }
      const parts = await gatherComposition(source.reader, subjects, direction, signal);
      const needs = needsOfTree([...subjects, ...parts.items].map(refOf), direction);
      const listed = await gather(source.reader, needs, signal);
      const gathered = {
        items: [...listed.items, ...parts.items],
        gaps: [...listed.gaps, ...parts.gaps],
      };
      const looked = new Set(needs.map(({ kind }) => kindKey(kind)));
      for (const { kind } of gathered.gaps) looked.delete(kindKey(kind));
      const index = new DependencyIndex([...gathered.items, ...subjects]);
      const requests = subjects.map((subject) => ({
        index,
        root: refOf(subject),
        direction,
        depth,
        isKnown: (ref) => looked.has(kindKey(ref)),
      })) satisfies readonly TreeRequest[];
      await print(requests, subjects, gathered, format, args, io);
      return 0;
    } finally {
      source.close();
    }
  },
};

async function print(
  requests: readonly TreeRequest[],
  subjects: readonly KubeObject[],
  { gaps }: Gathered,
  format: string | undefined,
  args: Args,
  io: Io,
): Promise<void> {
  const [first] = requests;
  if (!first) return;
  if (format === 'json' || format === 'yaml') {
    const { index, direction, depth } = first;
    const roots = subjects.map(refOf);
    const { objects, edges } = walk(index.graph, roots, direction, depth);
    const document = graphDocument(
      index,
      objects.values(),
      edges,
      gaps.map(({ gap }) => gap),
      roots,
    );
    io.print(await serialized(document, format));
    return;
  }
  const style = await styleOf(args, io);
  for (const [at, request] of requests.entries()) {
    if (at > 0 && format !== 'name') io.print('');
    const options = { style, wide: format === 'wide', headers: !args.isSet('no-headers') };
    const lines = format === 'name' ? treeNames(request) : renderTree(request, options);
    io.print(lines.join('\n'));
  }
  for (const { gap } of gaps) warn(io, `not checked: ${gap.what}: ${gap.reason}`);
}

function depthOf(args: Args): number {
  const text = args.text('depth');
  if (text === undefined) return Infinity;
  if (/^\d+$/.test(text) && Number(text) > 0) return Number(text);
  throw new UserError(`error: invalid argument "${text}" for "--depth" flag: must be a number above 0`);
}
