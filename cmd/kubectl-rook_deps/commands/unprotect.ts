import { compareText, refOf, type KubeObject } from '#pkg/object';
import { attemptToRepeat } from '#pkg/protection';
import { holdersOf, usagesOf, type Usage } from '#pkg/usage';
import type { Command } from '../command.ts';
import { confirm, YES_FLAG } from '../confirm.ts';
import { DRY_RUN_FLAG, dryRunOf, dryRunSuffix } from '../dry-run.ts';
import { requireResource } from '../resource-args.ts';
import { findSubjects } from '../subjects.ts';
import { timeoutMs } from '../timeout.ts';
import { listUsages, requireUsages, untilGone, usageName } from '../usage-objects.ts';
import { orphan, servicesFor } from '../critical-release.ts';
import { openCluster, warn, type Cluster } from '../wiring.ts';

const TIMEOUT_MS = 30_000;

export const unprotect: Command = {
  name: 'unprotect',
  summary: 'Remove the protections of an object',
  description: `Deletes every Usage and ClusterUsage that names an object, and every CriticalService that keeps it, and waits until they
are gone: from then on the object can be deleted. The object itself stays, unless a deletion was refused before and is to
be repeated: then the command says so and asks.`,
  usage:
    'unprotect (TYPE NAME | TYPE/NAME) [--keep] [--yes] [--dry-run=none|client|server] [flags] [options]',
  examples: [
    {
      what: 'The pool may be deleted again',
      line: 'kubectl rook-deps unprotect cephbp/replicapool -n rook-ceph',
    },
  ],
  flags: {
    keep: {
      type: 'boolean',
      describe: 'Keep the object also if a deletion was refused and is to be repeated.',
    },
    yes: YES_FLAG,
    'dry-run': DRY_RUN_FLAG,
    wait: { type: 'boolean', unset: 'true', describe: 'Wait until the protections are gone.' },
    timeout: { type: 'string', describe: 'How long to wait, such as 90s or 5m; 30s by default.' },
  },
  async run(args, io, signal) {
    const dryRun = dryRunOf(args);
    const waitMs = args.isSet('wait', true) ? timeoutMs(args, TIMEOUT_MS) : undefined;
    requireResource(args.words);
    const cluster = await openCluster(args, io);
    try {
      await requireUsages(cluster, signal);
      const subjects = await findSubjects(args, cluster, signal);
      const usages = await listUsages(cluster, undefined, signal);
      const isKept = args.isSet('keep');
      const repeated = isKept
        ? []
        : subjects.flatMap((subject) => repeatedBy(subject, usagesOf(subject, usages), io.now()));
      for (const line of repeated) warn(io, line);
      if (repeated.length > 0 && dryRun === 'none' && !(await confirm([], args, io, signal))) return 1;
      const deleted: KubeObject[] = [];
      for (const subject of subjects) {
        const services = await servicesFor(subject, cluster, signal);
        for (const service of services) {
          await orphan(service, dryRun, cluster, signal);
          io.print(`${usageName(service.object)} deleted${dryRunSuffix(dryRun)}`);
          deleted.push(service.object);
        }
        const protecting = usagesOf(subject, usages);
        if (protecting.length + services.length === 0) io.error(notProtected(subject, usages));
        for (const { object, replayDeletion } of protecting) {
          const options = { uid: object.metadata.uid, dryRun: dryRun === 'server' };
          if (isKept && replayDeletion && dryRun !== 'client')
            await forget(object, options.dryRun, cluster, signal);
          if (dryRun !== 'client') await cluster.writer.delete(refOf(object), options, signal);
          io.print(`${usageName(object)} deleted${dryRunSuffix(dryRun)}`);
          deleted.push(object);
        }
      }
      if (dryRun === 'none' && waitMs !== undefined) await untilGone(deleted, waitMs, cluster, signal);
      return 0;
    } finally {
      cluster.close();
    }
  },
};

/** Without the wish nothing is repeated, whatever was refused. */
async function forget(
  usage: KubeObject,
  dryRun: boolean,
  { writer }: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const { uid } = usage.metadata;
  const body = { metadata: { uid }, spec: { replayDeletion: false } };
  await writer.patch(refOf(usage), { type: 'merge', body, dryRun }, signal);
}

/** Deletions that were refused and would be made up for. */
function repeatedBy(subject: KubeObject, usages: readonly Usage[], now: number): readonly string[] {
  const attempts = usages.flatMap(
    (usage) => attemptToRepeat(subject, usage.attempts, usage.replayDeletion, now) ?? [],
  );
  const last = attempts.toSorted((a, b) => compareText(a.time, b.time)).at(-1);
  return last
    ? [
        `this also deletes ${label(subject)}, as ${last.user.username} asked at ${last.time} (--keep does not)`,
      ]
    : [];
}

/** A namespace or a definition may be held for the sake of what is in it: that is for others to release, one by one. */
function notProtected(subject: KubeObject, usages: readonly Usage[]): string {
  const inside = holdersOf(subject, usages).length;
  const why = `see: kubectl rook-deps why ${label(subject)}`;
  const rest = inside > 0 ? ` itself; ${inside} usages hold what is in it (${why})` : '';
  return `${label(subject)} is not protected${rest}`;
}

function label({ kind, metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}
