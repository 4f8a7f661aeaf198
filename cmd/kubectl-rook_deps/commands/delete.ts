import { systemClock } from '#pkg/clock';
import { UserError, type KubeObject } from '#pkg/object';
import {
  carryOut,
  planDocument,
  planText,
  surveyTeardown,
  type Cascade,
  type Plan,
  type PlanOptions,
  type SurveyPorts,
} from '#pkg/teardown';
import type { Args } from '../args.ts';
import { CEPH_FLAGS, openCeph } from '../ceph.ts';
import type { Command } from '../command.ts';
import { confirmByName, YES_FLAG } from '../confirm.ts';
import { DRY_RUN_FLAG, dryRunOf } from '../dry-run.ts';
import type { Io } from '../io.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { requireResource } from '../resource-args.ts';
import { findSubjects, noneFound, SUBJECT_FLAGS } from '../subjects.ts';
import { DeletionProgress } from '../deletion-progress.ts';
import { rehearse } from '../deletion-rehearsal.ts';
import { timeoutMs } from '../timeout.ts';
import { FROM_FLAG, openCluster, openSource, type Cluster, type Source } from '../wiring.ts';

const FORMATS = ['json', 'yaml'];
const INTERRUPTED = 130;
/** As of timeout(1). */
const TIMED_OUT = 124;

export const deleteCommand: Command = {
  name: 'delete',
  summary: 'Delete a resource with all that depends on it, leaves first',
  description: `Deletes a resource and all that depends on it, in the order in which Rook can clean up: leaves first, level by level, each
level only when the one before is really gone.

The plan is shown first, and you are asked to type the name of the resource. Nothing is begun while volumes, claims,
snapshots or buckets hold data (--include-volumes deletes them too), while pods use them, while a protection or something
in Ceph is in the way, or while something that matters could not be checked: where Ceph does not answer, --no-ceph goes
on without it. What appears in the meantime ends it.

Interrupted or timed out, it says what is gone, what is under way and what was not touched; run it again to go on, while
the resource itself is still there.

Exit codes: 0 when it is gone (or, with --wait=false, accepted), 1 when something is in the way or refused, 124 when it
timed out, 130 when it was interrupted.`,
  usage:
    'delete (TYPE NAME... | TYPE/NAME... | TYPE -l SELECTOR) [--include-volumes] [--cascade=background] [--yes] [flags] [options]',
  examples: [
    {
      what: 'See what would go, in which order, and what is in the way',
      line: 'kubectl rook-deps delete cephcluster/rook-ceph -n rook-ceph --dry-run=client',
    },
    {
      what: 'Take a filesystem down with its NFS servers and subvolume groups',
      line: 'kubectl rook-deps delete cephfs/myfs -n rook-ceph',
    },
    {
      what: 'The whole cluster with all its volumes and buckets, from a script',
      line: 'kubectl rook-deps delete cephcluster/rook-ceph -n rook-ceph --include-volumes --yes --timeout=30m',
    },
  ],
  flags: {
    cascade: {
      type: 'string',
      choices: ['background', 'foreground', 'orphan'],
      unset: "'background'",
      describe: 'What becomes of the objects that deleted ones own: one of background, foreground or orphan.',
    },
    'include-volumes': {
      type: 'boolean',
      describe: 'Delete volumes, claims, snapshots and buckets too: the data of users is DESTROYED.',
    },
    'dry-run': DRY_RUN_FLAG,
    wait: { type: 'boolean', unset: 'true', describe: 'Wait until the last level is gone, too.' },
    timeout: { type: 'string', describe: 'How long to go on, such as 90s or 5m; without limit by default.' },
    yes: YES_FLAG,
    output: outputFlag(FORMATS),
    selector: SUBJECT_FLAGS['selector'] ?? { type: 'string', describe: '' },
    from: FROM_FLAG,
    ...CEPH_FLAGS,
  },
  async run(args, io, signal) {
    const dryRun = dryRunOf(args);
    const format = outputFormat(args, FORMATS);
    if (format && dryRun !== 'client')
      throw new UserError('error: --output prints the plan, and needs --dry-run=client');
    if (args.texts('from').length > 0 && dryRun !== 'client')
      throw new UserError('error: --from reads saved manifests, from which only --dry-run=client can plan');
    requireNames(args);
    const limitMs = timeoutMs(args, 0);
    const source = dryRun === 'client' ? await openSource(args, io, signal) : await openCluster(args, io);
    try {
      const subjects = await findSubjects(args, source, signal);
      if (subjects.length === 0) {
        io.error(noneFound(args, source));
        return 0;
      }
      const ports = { reader: source.reader, ceph: await openCeph(args, source, io) };
      const options = planOptions(args);
      const plan = await surveyTeardown(subjects, options, ports, signal);
      if (dryRun === 'client') return await showPlan(plan, format, io);
      for (const line of planText(plan)) io.error(line);
      if (isObstructed(plan)) return stopped(io);
      const cluster = source as Cluster;
      if (dryRun === 'server') return await rehearse(plan, cascadeOf(args), cluster.writer, io, signal);
      io.error('');
      const names = subjects.map(({ metadata }) => metadata.name);
      if (!(await confirmByName(names, args, io, signal))) {
        io.error('error: the name was not typed; nothing was deleted');
        return 1;
      }
      return await execute(plan, { args, io, cluster, ports, limitMs }, signal);
    } finally {
      source.close();
    }
  },
};

function requireNames(args: Args): void {
  requireResource(args.words);
  const [first, ...rest] = args.words;
  if (rest.length > 0 || first.includes('/') || args.text('selector')) return;
  throw new UserError('error: resource(s) were provided, but no name was specified');
}

function cascadeOf(args: Args): Cascade {
  const choices = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;
  return choices[(args.text('cascade') ?? 'background') as keyof typeof choices];
}

function planOptions(args: Args): PlanOptions {
  return { includeData: args.isSet('include-volumes'), orphans: cascadeOf(args) === 'Orphan' };
}

function isObstructed({ obstacles, gaps }: Plan): boolean {
  return obstacles.length > 0 || gaps.length > 0;
}

async function showPlan(plan: Plan, format: string | undefined, io: Io): Promise<number> {
  if (format === 'json' || format === 'yaml') io.print(await serialized(planDocument(plan), format));
  else io.print(planText(plan).join('\n'));
  return isObstructed(plan) ? stopped(io, 'nothing would be deleted') : 0;
}

function stopped(io: Io, so = 'nothing was deleted'): number {
  io.error(`error: something is in the way, so ${so}`);
  return 1;
}

interface Context {
  readonly args: Args;
  readonly io: Io;
  readonly cluster: Cluster;
  readonly ports: SurveyPorts;
  readonly limitMs: number;
}

async function execute(plan: Plan, context: Context, signal: AbortSignal): Promise<number> {
  const { args, io, cluster, ports, limitMs } = context;
  const progress = new DeletionProgress(plan, io);
  const orders = {
    cascade: cascadeOf(args),
    wait: args.isSet('wait', true),
    deadlineMs: limitMs > 0 ? systemClock.now() + limitMs : Infinity,
  };
  const options = planOptions(args);
  const look = async (): Promise<Plan> =>
    surveyTeardown(await leftOf(plan.subjects, cluster, signal), options, ports, signal);
  const { reader, writer } = cluster;
  const result = await carryOut(
    plan,
    orders,
    { reader, writer, clock: systemClock, look, report: (step) => progress.note(step) },
    signal,
  ).catch((error: unknown) => {
    progress.fail();
    throw error;
  });
  progress.end(result);
  if (result.kind === 'interrupted') return INTERRUPTED;
  if (result.kind === 'timed-out') return TIMED_OUT;
  return result.kind === 'done' || result.kind === 'requested' ? 0 : 1;
}

/** The subjects that are still there; one that was made anew under the name is not what was meant. */
async function leftOf(
  subjects: readonly KubeObject[],
  { reader }: Source,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const found = await Promise.all(
    subjects.map(async ({ apiVersion, kind, metadata: { namespace, name, uid } }) => {
      const group = apiVersion.split('/').slice(0, -1).join('/');
      const now = await reader.get({ group, kind }, namespace, name, signal);
      return now?.metadata.uid === uid ? now : undefined;
    }),
  );
  return found.filter((object) => object !== undefined);
}
