import { systemClock } from '#pkg/clock';
import { refOf, textAt, UserError, type KubeObject } from '#pkg/object';
import { holdersOf, readyCondition, usagesOf, type Usage } from '#pkg/usage';
import type { Command } from '../command.ts';
import { DRY_RUN_FLAG, dryRunOf, dryRunSuffix } from '../dry-run.ts';
import { requireResource } from '../resource-args.ts';
import { findSubjects } from '../subjects.ts';
import { timeoutMs } from '../timeout.ts';
import { listUsages, requireUsages, usageName } from '../usage-objects.ts';
import { openCluster, type Cluster } from '../wiring.ts';

const POLL_MS = 200;
const TIMEOUT_MS = 30_000;

export const unprotect: Command = {
  name: 'unprotect',
  summary: 'Remove the protections of an object',
  description: `Deletes every Usage and ClusterUsage that names an object, and waits until they are gone: from then on the object can be
deleted. The object itself stays, unless a deletion was refused before and is to be replayed.`,
  usage: 'unprotect (TYPE NAME | TYPE/NAME) [--dry-run=none|client|server] [flags] [options]',
  examples: [
    {
      what: 'The pool may be deleted again',
      line: 'kubectl rook-deps unprotect cephbp/replicapool -n rook-ceph',
    },
  ],
  flags: {
    'dry-run': DRY_RUN_FLAG,
    wait: { type: 'boolean', describe: 'Wait until the protections are gone; true by default.' },
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
      const deleted: KubeObject[] = [];
      for (const subject of subjects) {
        const protecting = usagesOf(subject, usages);
        if (protecting.length === 0) io.error(notProtected(subject, usages));
        for (const { object } of protecting) {
          const options = { uid: object.metadata.uid, dryRun: dryRun === 'server' };
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

/** A usage whose object is used by another waits for the end of that one. */
async function untilGone(
  usages: readonly KubeObject[],
  limitMs: number,
  { reader }: Cluster,
  signal: AbortSignal,
): Promise<void> {
  const deadline = systemClock.now() + limitMs;
  for (const usage of usages) {
    for (;;) {
      const { namespace, name, uid } = usage.metadata;
      const found = await reader.get(refOf(usage), namespace, name, signal);
      if (found?.metadata.uid !== uid) break;
      if (systemClock.now() >= deadline)
        throw new UserError(
          `error: ${usageName(usage)} is not gone after ${limitMs / 1000}s: ${stateOf(found)}`,
          {
            exitCode: 124,
          },
        );
      await systemClock.sleep(POLL_MS, signal);
    }
  }
}

function stateOf(usage: KubeObject | undefined): string {
  const ready = usage && readyCondition(usage);
  return textAt(ready, 'message') ?? textAt(ready, 'reason') ?? 'is the controller running?';
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
