import { durationMs } from '#pkg/maintenance';
import { parseLabelSelector, UserError } from '#pkg/object';
import type { Args } from '../args.ts';
import type { Command } from '../command.ts';
import { YES_FLAG } from '../confirm.ts';
import { DRY_RUN_FLAG, dryRunOf } from '../dry-run.ts';
import type { Io } from '../io.ts';
import { findNode } from '../maintenance/nodes.ts';
import { selectedNodes } from '../maintenance/rolling-plan.ts';
import { startRolling } from '../maintenance/rolling.ts';
import { showStatus } from '../maintenance/show.ts';
import { startNode, type StartOrders } from '../maintenance/start.ts';
import { stopNode } from '../maintenance/stop.ts';
import { openTools, type Tools } from '../maintenance/tools.ts';
import { outputFlag, outputFormat } from '../output.ts';
import { nearest } from '../suggestion.ts';
import { timeoutMs } from '../timeout.ts';

const FORMATS = ['json', 'wide', 'yaml'];
const NO_NODE = 'error: you must specify the name of a node';
const VERBS = ['start', 'stop', 'status'];

export const maintenance: Command = {
  name: 'maintenance',
  summary: 'Take a node out of service without hurting Ceph, and bring it back',
  description: `Takes a node out of service without hurting Ceph, and brings it back.

start cordons the node, sets noout on its OSDs and evicts its pods in order: whoever uses Ceph's volumes, then all others, then
gateways and managers, then OSDs, monitors last. Budgets are heeded and pods never deleted. It refuses while data would
stop to be served, Ceph does not answer, others are at work, or nobody would take over a filesystem; --force goes on in the
last two cases only. Of what else would be away it warns. How things were is written down first: run it again to go on after
an interruption.

stop brings back what start has changed, and nothing else: a cordon or a noout that was there before stays. It waits until
OSDs are up, all data is whole, and no budget holds others for the sake of the node, for half an hour at most; what is missing
then it says, and ends with 1. status says where it stands, and looks for itself where no controller does.

start --rolling takes several nodes, by name or selector, one failure domain at a time. You stop each when your work on it is
done; the next domain begins when nothing is in its way. Run it again to go on: what is under way comes first.

With the controller installed, it does the work; otherwise, or while it does not run, the command does, until it is done.`,
  usage: 'maintenance (start | stop | status) (NODE | -l SELECTOR --rolling) [--yes] [flags] [options]',
  examples: [
    {
      what: 'What would happen, and what is in the way',
      line: 'kubectl rook-deps maintenance start node-a --dry-run=server',
    },
    {
      what: 'Take a node out of service, and wait until it can be powered off',
      line: 'kubectl rook-deps maintenance start node-a --reason "new disk" --duration 2h --wait',
    },
    { what: 'Where things stand', line: 'kubectl rook-deps maintenance status' },
    { what: 'Bring it back', line: 'kubectl rook-deps maintenance stop node-a --wait' },
    {
      what: 'All storage nodes, one failure domain at a time',
      line: 'kubectl rook-deps maintenance start -l role=storage --rolling',
    },
  ],
  flags: {
    reason: { type: 'string', describe: 'Why, for those who find the node cordoned.' },
    duration: {
      type: 'string',
      describe: 'How long noout may stay, such as 2h or 90m; until stop by default. The node stays cordoned.',
    },
    'no-drain': { type: 'boolean', describe: 'Only cordon the node and set noout.' },
    wait: {
      type: 'boolean',
      describe: 'Wait until the node can be powered off, or is back; without a controller always so.',
    },
    timeout: {
      type: 'string',
      describe: 'How long to wait, such as 90s or 5m, for each node; without limit by default.',
    },
    rolling: {
      type: 'boolean',
      describe: 'Several nodes, one failure domain at a time: the next when the last is back.',
    },
    selector: { type: 'string', alias: 'l', describe: 'Selector (label query) of nodes, with --rolling.' },
    force: {
      type: 'boolean',
      describe:
        'Go on although others are at work or Ceph is not well; never where data would stop to be served.',
    },
    yes: YES_FLAG,
    'dry-run': DRY_RUN_FLAG,
    watch: { type: 'boolean', alias: 'w', describe: 'After the status, tell of each change.' },
    output: outputFlag(FORMATS),
    'no-headers': { type: 'boolean', describe: "Don't print headers." },
    'ceph-conf': {
      type: 'string',
      describe: "Ask Ceph with this machine's own ceph program and this configuration file, not in a pod.",
    },
  },
  async run(args, io, signal) {
    const verb = verbOf(args);
    const orders = ordersOf(args);
    const format = outputFormat(args, FORMATS);
    checkWords(verb, args);
    const tools = await openTools(args, io);
    try {
      const [, word] = args.words;
      if (verb === 'status') return await showStatus(word && bare(word), format, tools, { args, io }, signal);
      if (verb === 'stop') return await stopNode(bare(word ?? ''), orders, tools, io, signal);
      return await start(orders, tools, { args, io }, signal);
    } finally {
      tools.close();
    }
  },
};

function verbOf({ words: [verb] }: Args): string {
  if (verb === undefined) throw new UserError(`error: must specify one of: ${VERBS.join(', ')}`);
  if (VERBS.includes(verb)) return verb;
  const near = nearest(verb, VERBS);
  throw new UserError(
    `error: unknown command "${verb}" for "kubectl rook-deps maintenance"${near ? `\n\nDid you mean this?\n\t${near}` : `; must be one of: ${VERBS.join(', ')}`}`,
  );
}

function checkWords(verb: string, args: Args): void {
  const [, ...nodes] = args.words;
  const selector = args.text('selector');
  const isSelected = selector !== undefined;
  if (isSelected && nodes.length > 0)
    throw new UserError('error: name cannot be provided when a selector is specified');
  if ((isSelected || args.isSet('rolling')) && verb !== 'start')
    throw new UserError('error: --rolling and --selector are for start');
  if (verb === 'status' && dryRunOf(args) !== 'none')
    throw new UserError('error: --dry-run is for start and stop');
  if (isSelected && !args.isSet('rolling'))
    throw new UserError('error: several nodes need --rolling, which takes one failure domain at a time');
  if (isSelected) checkSelector(selector);
  if (nodes.length === 0 && !isSelected && verb !== 'status')
    throw new UserError(args.isSet('rolling') ? `${NO_NODE}, or a selector with -l` : NO_NODE);
  if (nodes.length > 1 && !(verb === 'start' && args.isSet('rolling')))
    throw new UserError(
      verb === 'start'
        ? 'error: several nodes need --rolling, which takes one failure domain at a time'
        : 'error: one node at a time',
    );
}

/** An empty one, of a variable that is not set perhaps, would mean every node. */
function checkSelector(selector: string): void {
  if (selector.trim() === '')
    throw new UserError(
      'error: the selector is empty, and would mean every node; name a label, or the nodes',
    );
  parseLabelSelector(selector);
}

/** `node/node-a` is understood, too. */
function bare(word: string): string {
  return word.replace(/^(nodes?|no)\//, '');
}

function ordersOf(args: Args): StartOrders {
  const duration = args.text('duration');
  if (duration !== undefined && !durationMs(duration))
    throw new UserError(
      `error: invalid argument "${duration}" for "--duration" flag: must be a time such as 90m or 2h`,
    );
  const limitMs = timeoutMs(args, 0);
  return {
    reason: args.text('reason'),
    duration,
    noDrain: args.isSet('no-drain'),
    force: args.isSet('force'),
    wait: args.isSet('wait'),
    limitMs: limitMs > 0 ? limitMs : Infinity,
    dryRun: dryRunOf(args),
  };
}

async function start(
  orders: StartOrders,
  tools: Tools,
  context: { readonly args: Args; readonly io: Io },
  signal: AbortSignal,
): Promise<number> {
  const { args } = context;
  const selector = args.text('selector');
  const words = [...new Set(args.words.slice(1).map(bare))];
  const nodes =
    selector === undefined
      ? await Promise.all(words.map((word) => findNode(word, tools.cluster.reader, signal)))
      : await selectedNodes(selector, tools, signal);
  if (args.isSet('rolling')) return startRolling(nodes, orders, tools, context, signal);
  const [node] = nodes;
  if (!node) throw new UserError(NO_NODE);
  return startNode(node, orders, tools, context, signal);
}
