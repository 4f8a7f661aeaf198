import { refOf, UserError, type KubeObject } from '#pkg/object';
import { grant, grantName, nameOf } from '#pkg/install';
import { newUsage } from '#pkg/usage';
import { Args } from '../args.ts';
import type { Command } from '../command.ts';
import {
  CRITICAL_FLAGS,
  criticalServicesFor,
  requireCriticalServices,
  wantsCritical,
} from '../critical-services.ts';
import { DRY_RUN_FLAG, dryRunOf, dryRunSuffix } from '../dry-run.ts';
import { outputFlag, outputFormat } from '../output.ts';
import { protectCritical } from '../protect-critical.ts';
import { protectOne, type Protecting } from '../protecting.ts';
import { requireResource } from '../resource-args.ts';
import { findSubjects } from '../subjects.ts';
import { timeoutMs } from '../timeout.ts';
import { requireUsages } from '../usage-objects.ts';
import { adviseOn } from '../advice.ts';
import { openCluster, type Cluster } from '../wiring.ts';

const FORMATS = ['json', 'name', 'yaml'];
/** Who gives these means an object, and has left it out. */
const NEED_A_SUBJECT = ['by', 'reason', 'replay', 'grant', 'dry-run', 'wait', 'timeout'];
const TIMEOUT_MS = 30_000;

export const protect: Command = {
  name: 'protect',
  summary: 'Refuse the deletion of an object while it is needed',
  description: `Makes a Usage (a ClusterUsage for objects without a namespace): from then on the object cannot be deleted.

With --by the protection ends when the object that uses this one is deleted. You must be allowed to delete what you
protect. The command waits until the protection is in force. The controller may protect Rook's own kinds; for others it
needs a right that an administrator gives once, with --grant or with install --grant.

With --critical it makes a CriticalService instead: the object and its namespace stay until nothing has the finalizers
that it serves. 'protect operator' does that for the Rook operator, with the finalizers of all Rook kinds. Run again, it adds
to what the CriticalService waits for, and takes nothing away; policy and --replay stay, unless they are given. Without
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
        for (const wish of await criticalServicesFor(args, cluster, signal))
          await protectCritical(wish, { format, dryRun, waitMs, args, io, cluster }, signal);
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
  { dryRun, io, cluster }: Pick<Protecting, 'dryRun' | 'io' | 'cluster'>,
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
