import { systemClock } from '#pkg/clock';
import {
  findMarked,
  nameOf,
  refusal,
  survey,
  unfinished,
  uninstall as uninstallFrom,
  type Change,
  type Survey,
} from '#pkg/install';
import { UserError, type Writer } from '#pkg/object';
import type { Command } from '../command.ts';
import { confirm, YES_FLAG } from '../confirm.ts';
import { DRY_RUN_FLAG, dryRunOf, dryRunSuffix, type DryRun } from '../dry-run.ts';
import { timeoutMs } from '../timeout.ts';
import { openCluster, warn } from '../wiring.ts';

const TIMEOUT_MS = 300_000;

export const uninstall: Command = {
  name: 'uninstall',
  summary: 'Remove all that was installed, without a trace',
  description: `Removes all that install has put into the cluster, and every label and finalizer of ours from the objects of others.

While protections exist, nothing is removed: with --force they are given up. Nodes in maintenance have to be brought back first. Deletions that they held back are not
carried out. The command waits until everything is gone, and can be run again after an interruption.`,
  usage: 'uninstall [--force] [--yes] [flags] [options]',
  examples: [
    { what: 'See what would be removed', line: 'kubectl rook-deps uninstall --dry-run=client' },
    { what: 'Remove everything', line: 'kubectl rook-deps uninstall' },
    {
      what: 'Give up all protections as well, from a script',
      line: 'kubectl rook-deps uninstall --force --yes',
    },
  ],
  flags: {
    force: { type: 'boolean', describe: 'Give up the protections that exist.' },
    yes: YES_FLAG,
    'dry-run': DRY_RUN_FLAG,
    timeout: {
      type: 'string',
      describe: 'How long to wait until everything is gone, such as 90s or 5m (the default).',
    },
  },
  async run(args, io, signal) {
    const dryRun = dryRunOf(args);
    if (args.words.length > 0) throw new UserError(`error: unexpected argument "${args.words[0] ?? ''}"`);
    const timeout = timeoutMs(args, TIMEOUT_MS);
    const cluster = await openCluster(args, io, { kindsChange: true });
    try {
      const found = await survey(cluster.reader, signal);
      if (found.objects.length === 0 && (await findMarked(cluster.reader, signal)).objects.length === 0) {
        io.error('No resources found: rook-deps is not installed.');
        return 0;
      }
      const refused = unfinished(found) ?? (args.isSet('force') ? undefined : refusal(found));
      if (refused) throw refused;
      if (dryRun === 'none' && !(await confirm(plan(found), args, io, signal))) return 1;
      const ports = {
        reader: cluster.reader,
        writer: dryRun === 'client' ? IDLE : cluster.writer,
        clock: systemClock,
        report: (change: Change) => io.print(lineFor(change, dryRun)),
        say: (text: string) => io.error(text),
        warn: (text: string) => warn(io, text),
      };
      const request = { dryRun: dryRun !== 'none', timeoutMs: timeout };
      return (await uninstallFrom(found, request, ports, signal)) ? 0 : 1;
    } finally {
      cluster.close();
    }
  },
};

/** Sends nothing. */
const IDLE: Pick<Writer, 'patch' | 'delete'> = {
  patch: () => Promise.resolve(undefined),
  delete: () => Promise.resolve('deleted'),
};

function plan({ objects, protections }: Survey): readonly string[] {
  return [
    'These will be deleted, and the labels of rook-deps taken off all other objects:',
    ...[...objects, ...protections].map((object) => `  ${nameOf(object)}`),
  ];
}

function lineFor({ object, word }: Change, dryRun: DryRun): string {
  const suffix = dryRunSuffix(dryRun);
  if (word !== 'deleted') return `${nameOf(object)} ${word}${suffix}`;
  const [kind = ''] = nameOf(object).split('/');
  const { name, namespace } = object.metadata;
  return `${kind} "${name}" deleted${namespace ? ` from ${namespace} namespace` : ''}${suffix}`;
}
