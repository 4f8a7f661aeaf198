import { systemClock } from '#pkg/clock';
import { listAt, refOf, textAt, UserError, type KubeObject } from '#pkg/object';
import { newUsage } from '#pkg/usage';
import { Args } from '../args.ts';
import type { Command } from '../command.ts';
import {
  CRITICAL_FLAGS,
  criticalServicesFor,
  requireCriticalServices,
  wantsCritical,
} from '../critical-services.ts';
import { DRY_RUN_FLAG, dryRunOf, dryRunSuffix, type DryRun } from '../dry-run.ts';
import type { Io } from '../io.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { requireResource } from '../resource-args.ts';
import { findSubjects } from '../subjects.ts';
import { requireUsages, usageName } from '../usage-objects.ts';
import { adviseOn } from '../advice.ts';
import { openCluster, type Cluster } from '../wiring.ts';

const FORMATS = ['json', 'name', 'yaml'];
const FIELD_MANAGER = 'kubectl-rook-deps';
/** Who gives these means an object, and has left it out. */
const NEED_A_SUBJECT = ['by', 'reason', 'replay', 'dry-run', 'wait', 'timeout'];
const POLL_MS = 200;
const DEFAULT_TIMEOUT_S = 30;

export const protect: Command = {
  name: 'protect',
  summary: 'Refuse the deletion of an object while it is needed',
  description: `Makes a Usage (a ClusterUsage for objects without a namespace): from then on the object cannot be deleted.

With --by the protection ends when the object that uses this one is deleted. You must be allowed to delete what you
protect. The command waits until the protection is in force.

With --critical it makes a CriticalService instead: the object and its namespace stay until nothing has the finalizers
that it serves. 'protect operator' does that for the Rook operator, with the finalizers of all Rook kinds. Without
arguments it lists what is worth protecting and is not.`,
  usage: `protect (TYPE NAME | TYPE/NAME) [--by TYPE/NAME] [--reason TEXT] [--replay] [flags] [options]
  kubectl rook-deps protect --critical TYPE/NAME [--finalizer RESOURCE.GROUP=FINALIZER] [--resource TYPE/NAME] [--replay]
  kubectl rook-deps protect operator
  kubectl rook-deps protect`,
  examples: [
    {
      what: 'Nobody deletes this pool',
      line: 'kubectl rook-deps protect cephbp/replicapool -n rook-ceph --reason "payments database"',
    },
    {
      what: 'Not while this Deployment exists',
      line: 'kubectl rook-deps protect cephnfs/my-nfs -n rook-ceph --by deployment/media',
    },
    { what: 'What is worth protecting and is not', line: 'kubectl rook-deps protect' },
    {
      what: 'The Rook operator stays until all that it finalizes is gone',
      line: 'kubectl rook-deps protect operator',
    },
    {
      what: 'The same for a controller of your own',
      line: 'kubectl rook-deps protect --critical deploy/cool -n cool --finalizer coolresources.my.group=my.group/cool',
    },
    {
      what: 'The manifest, for a repository',
      line: 'kubectl rook-deps protect cephfs/myfs -n rook-ceph --reason home --dry-run=client -o yaml',
    },
  ],
  flags: {
    by: { type: 'string', describe: 'The object that needs it, as TYPE/NAME; in the same namespace.' },
    reason: { type: 'string', describe: 'Why it is needed; shown to whoever tries to delete it.' },
    replay: { type: 'boolean', describe: 'Repeat a refused deletion once the protection ends.' },
    ...CRITICAL_FLAGS,
    output: outputFlag(FORMATS),
    'dry-run': DRY_RUN_FLAG,
    wait: { type: 'boolean', describe: 'Wait until the protection is in force; true by default.' },
    timeout: { type: 'string', describe: `Seconds to wait; ${DEFAULT_TIMEOUT_S} by default.` },
  },
  async run(args, io, signal) {
    const format = outputFormat(args, FORMATS);
    const dryRun = dryRunOf(args);
    const isCritical = wantsCritical(args);
    if (!isCritical && args.words.length === 0 && !NEED_A_SUBJECT.some((name) => args.given(name)))
      return adviseOn(args, format, io, signal);
    if (!isCritical) requireResource(args.words);
    const cluster = await openCluster(args, io);
    try {
      if (isCritical) {
        if (dryRun !== 'client') await requireCriticalServices(cluster, signal);
        for (const service of await criticalServicesFor(args, cluster, signal))
          await protectOne(service, { format, dryRun, args, io, cluster }, signal);
        return 0;
      }
      if (dryRun !== 'client') await requireUsages(cluster, signal);
      const subjects = await findSubjects(args, cluster, signal);
      const by = await findUsing(args, cluster, signal);
      for (const of of subjects) {
        const reason = args.text('reason') ?? (by ? undefined : 'protected with kubectl rook-deps');
        const usage = newUsage({ of, by, reason, replayDeletion: args.isSet('replay') });
        await protectOne(usage, { format, dryRun, args, io, cluster }, signal);
      }
      return 0;
    } finally {
      cluster.close();
    }
  },
};

interface Context {
  readonly format: string | undefined;
  readonly dryRun: DryRun;
  readonly args: Args;
  readonly io: Io;
  readonly cluster: Cluster;
}

async function findUsing(args: Args, cluster: Cluster, signal: AbortSignal): Promise<KubeObject | undefined> {
  const by = args.text('by');
  if (by === undefined) return undefined;
  if (!/^[^/]+\/[^/]+$/.test(by))
    throw new UserError(`error: invalid argument "${by}" for "--by" flag: must be TYPE/NAME`);
  const [found] = await findSubjects(new Args([by], {}), cluster, signal);
  return found;
}

async function protectOne(usage: KubeObject, context: Context, signal: AbortSignal): Promise<void> {
  const { format, dryRun, args, io, cluster } = context;
  const before =
    dryRun === 'client'
      ? undefined
      : await cluster.reader.get(refOf(usage), usage.metadata.namespace, usage.metadata.name, signal);
  const stored =
    dryRun === 'client'
      ? usage
      : await cluster.writer.apply(
          usage,
          { fieldManager: FIELD_MANAGER, force: true, dryRun: dryRun === 'server' },
          signal,
        );
  if (format === 'json' || format === 'yaml') io.print(await serialized(printed(stored, dryRun), format));
  else if (format === 'name') io.print(usageName(stored));
  else io.print(`${usageName(stored)} ${verb(before, stored)}${dryRunSuffix(dryRun)}`);
  if (dryRun === 'none' && args.isSet('wait', true)) await inForce(stored, context, signal);
}

function verb(before: KubeObject | undefined, after: KubeObject): string {
  if (!before) return 'created';
  return before.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured';
}

function printed(usage: KubeObject, dryRun: DryRun): object {
  if (dryRun === 'client') return usage;
  const { managedFields: _, ...metadata } = usage.metadata;
  return { ...usage, metadata };
}

/** The label brings deletions before the webhook: until the controller has put it there, nothing is protected. */
async function inForce(usage: KubeObject, { args, cluster }: Context, signal: AbortSignal): Promise<void> {
  const timeoutMs = secondsOf(args) * 1000;
  const deadline = systemClock.now() + timeoutMs;
  let last = 'the controller has not looked at it yet';
  while (systemClock.now() < deadline) {
    const now = await cluster.reader.get(refOf(usage), usage.metadata.namespace, usage.metadata.name, signal);
    if (!now) throw new UserError(`error: ${usageName(usage)} was deleted meanwhile`);
    const ready = listAt(now, 'status', 'conditions').find(
      (condition) => textAt(condition, 'type') === 'Ready',
    );
    if (textAt(ready, 'status') === 'True') return;
    if (ready) last = `${textAt(ready, 'reason') ?? ''}: ${textAt(ready, 'message') ?? ''}`;
    await systemClock.sleep(POLL_MS, signal);
  }
  throw new UserError(`error: ${usageName(usage)} is not in force after ${timeoutMs / 1000}s: ${last}`, {
    exitCode: 124,
  });
}

function secondsOf(args: Args): number {
  const text = args.text('timeout');
  if (text === undefined) return DEFAULT_TIMEOUT_S;
  const seconds = /^(\d+)s?$/.exec(text)?.[1];
  if (seconds === undefined)
    throw new UserError(`error: invalid argument "${text}" for "--timeout" flag: must be seconds`);
  return Number(seconds);
}
