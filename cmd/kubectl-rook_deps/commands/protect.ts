import { systemClock } from '#pkg/clock';
import { isTerminating, refOf, textAt, UserError, type KubeObject } from '#pkg/object';
import { grant, grantName, nameOf } from '#pkg/install';
import { newUsage, readyCondition } from '#pkg/usage';
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
import { timeoutMs } from '../timeout.ts';
import { requireUsages, untilGone, usageName } from '../usage-objects.ts';
import { adviseOn } from '../advice.ts';
import { openCluster, type Cluster } from '../wiring.ts';

const FORMATS = ['json', 'name', 'yaml'];
const FIELD_MANAGER = 'kubectl-rook-deps';
/** Who gives these means an object, and has left it out. */
const NEED_A_SUBJECT = ['by', 'reason', 'replay', 'grant', 'dry-run', 'wait', 'timeout'];
const POLL_MS = 200;
const TIMEOUT_MS = 30_000;

export const protect: Command = {
  name: 'protect',
  summary: 'Refuse the deletion of an object while it is needed',
  description: `Makes a Usage (a ClusterUsage for objects without a namespace): from then on the object cannot be deleted.

With --by the protection ends when the object that uses this one is deleted. You must be allowed to delete what you
protect. The command waits until the protection is in force. The controller may protect Rook's own kinds; for others it
needs a right that an administrator gives once, with --grant or with install --grant.

With --critical it makes a CriticalService instead: the object and its namespace stay until nothing has the finalizers
that it serves. 'protect operator' does that for the Rook operator, with the finalizers of all Rook kinds. Without
arguments it lists what is worth protecting and is not.`,
  usage: `protect (TYPE NAME | TYPE/NAME) [--by TYPE/NAME] [--reason TEXT] [--replay] [--grant] [flags] [options]
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
      line: 'kubectl rook-deps protect cephnfs/my-nfs -n rook-ceph --by deployment/media --grant',
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
    grant: {
      type: 'boolean',
      describe:
        'Let the controller protect this kind, as install --grant does; needed once for kinds not of Rook.',
    },
    replay: { type: 'boolean', describe: 'Repeat a refused deletion once the protection ends.' },
    ...CRITICAL_FLAGS,
    output: outputFlag(FORMATS),
    'dry-run': DRY_RUN_FLAG,
    wait: { type: 'boolean', unset: 'true', describe: 'Wait until the protection is in force.' },
    timeout: { type: 'string', describe: 'How long to wait, such as 90s or 5m; 30s by default.' },
  },
  async run(args, io, signal) {
    const format = outputFormat(args, FORMATS);
    const dryRun = dryRunOf(args);
    const waitMs = args.isSet('wait', true) ? timeoutMs(args, TIMEOUT_MS) : undefined;
    const isCritical = wantsCritical(args);
    if (!isCritical && args.words.length === 0 && !NEED_A_SUBJECT.some((name) => args.given(name)))
      return adviseOn(args, format, io, signal);
    if (!isCritical) requireResource(args.words);
    const cluster = await openCluster(args, io);
    try {
      if (isCritical) {
        if (dryRun !== 'client') await requireCriticalServices(cluster, signal);
        for (const service of await criticalServicesFor(args, cluster, signal))
          await protectOne(service, { format, dryRun, waitMs, args, io, cluster }, signal);
        return 0;
      }
      if (dryRun !== 'client') await requireUsages(cluster, signal);
      const subjects = await findSubjects(args, cluster, signal);
      const by = await findUsing(args, cluster, signal);
      if (args.isSet('grant')) await grantKinds(subjects, by, { dryRun, io, cluster }, signal);
      for (const of of subjects) {
        const reason = args.text('reason') ?? (by ? undefined : 'protected with kubectl rook-deps');
        const usage = newUsage({ of, by, reason, replayDeletion: args.isSet('replay') });
        await protectOne(usage, { format, dryRun, waitMs, args, io, cluster }, signal);
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
  /** How long to wait until the protection is in force; undefined: not at all. */
  readonly waitMs: number | undefined;
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

async function grantKinds(
  subjects: readonly KubeObject[],
  by: KubeObject | undefined,
  { dryRun, io, cluster }: Pick<Context, 'dryRun' | 'io' | 'cluster'>,
  signal: AbortSignal,
): Promise<void> {
  if (dryRun === 'client') return;
  const types = await cluster.reader.types(signal);
  const namesOf = (objects: readonly KubeObject[]): ReadonlySet<string> =>
    new Set(
      objects.flatMap((object) => {
        const type = types.find(refOf(object));
        // What is Rook's may be protected from the start.
        return type && type.group !== 'ceph.rook.io' ? [grantName(type)] : [];
      }),
    );
  const give = async (name: string, purpose: 'protect' | 'read'): Promise<void> => {
    const { object, word } = await grant(name, purpose, cluster, dryRun === 'server', signal);
    // Not the result that was asked for: that is the usage.
    io.error(`${nameOf(object)} ${word}${dryRunSuffix(dryRun)}`);
  };
  const used = namesOf(subjects);
  for (const name of used) await give(name, 'protect');
  for (const name of namesOf(by ? [by] : [])) if (!used.has(name)) await give(name, 'read');
}

async function protectOne(usage: KubeObject, context: Context, signal: AbortSignal): Promise<void> {
  const { format, dryRun, waitMs, io, cluster } = context;
  const before = dryRun === 'client' ? undefined : await present(usage, context, signal);
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
  if (dryRun === 'none' && waitMs !== undefined) await inForce(stored, waitMs, context, signal);
}

/** What is there already. One that is going protects nothing for long, and must be gone first. */
async function present(
  usage: KubeObject,
  { dryRun, waitMs, cluster }: Context,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { namespace, name } = usage.metadata;
  const found = await cluster.reader.get(refOf(usage), namespace, name, signal);
  if (!found || !isTerminating(found) || dryRun === 'server') return found;
  if (waitMs === undefined)
    throw new UserError(`error: ${usageName(found)} is being deleted; try again when it is gone`);
  await untilGone([found], waitMs, cluster, signal);
  return undefined;
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
async function inForce(
  usage: KubeObject,
  limitMs: number,
  { args, cluster }: Context,
  signal: AbortSignal,
): Promise<void> {
  const deadline = systemClock.now() + limitMs;
  let last = 'the controller has not looked at it yet';
  while (systemClock.now() < deadline) {
    const now = await cluster.reader.get(refOf(usage), usage.metadata.namespace, usage.metadata.name, signal);
    if (!now || now.metadata.uid !== usage.metadata.uid || isTerminating(now))
      throw new UserError(`error: ${usageName(usage)} was deleted meanwhile`);
    const ready = readyCondition(now);
    if (textAt(ready, 'status') === 'True') return;
    if (ready) last = `${textAt(ready, 'reason') ?? ''}: ${textAt(ready, 'message') ?? ''}`;
    // A right that was just granted takes a moment; without one there is nothing to wait for.
    if (textAt(ready, 'reason') === 'Forbidden' && !args.isSet('grant'))
      throw new UserError(`error: ${usageName(usage)} is not in force: ${last}`);
    await systemClock.sleep(POLL_MS, signal);
  }
  throw new UserError(`error: ${usageName(usage)} is not in force after ${limitMs / 1000}s: ${last}`, {
    exitCode: 124,
  });
}
