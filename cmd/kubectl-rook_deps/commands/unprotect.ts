import { refOf, type KubeObject } from '#pkg/object';
import { holdersOf } from '#pkg/usage';
import type { Command } from '../command.ts';
import { DRY_RUN_FLAG, dryRunOf, dryRunSuffix } from '../dry-run.ts';
import { requireResource } from '../resource-args.ts';
import { findSubjects } from '../subjects.ts';
import { listUsages, requireUsages, usageName } from '../usage-objects.ts';
import { orphan, servicesFor } from '../critical-release.ts';
import { openCluster } from '../wiring.ts';

export const unprotect: Command = {
  name: 'unprotect',
  summary: 'Remove the protections of an object',
  description: `Deletes every Usage and ClusterUsage of an object, and every CriticalService that keeps it. The object itself stays, unless
a deletion was refused before and is to be replayed.`,
  usage: 'unprotect (TYPE NAME | TYPE/NAME) [--dry-run=none|client|server] [flags] [options]',
  examples: [
    {
      what: 'The pool may be deleted again',
      line: 'kubectl rook-deps unprotect cephbp/replicapool -n rook-ceph',
    },
  ],
  flags: { 'dry-run': DRY_RUN_FLAG },
  async run(args, io, signal) {
    const dryRun = dryRunOf(args);
    requireResource(args.words);
    const cluster = await openCluster(args, io);
    try {
      await requireUsages(cluster, signal);
      const subjects = await findSubjects(args, cluster, signal);
      const usages = await listUsages(cluster, undefined, signal);
      for (const subject of subjects) {
        const held = holdersOf(subject, usages);
        const services = await servicesFor(subject, cluster, signal);
        for (const service of services) {
          await orphan(service, dryRun, cluster, signal);
          io.print(`${usageName(service.object)} deleted${dryRunSuffix(dryRun)}`);
        }
        if (held.length + services.length === 0) io.error(`${label(subject)} is not protected`);
        for (const { object } of held) {
          const options = { uid: object.metadata.uid, dryRun: dryRun === 'server' };
          if (dryRun !== 'client') await cluster.writer.delete(refOf(object), options, signal);
          io.print(`${usageName(object)} deleted${dryRunSuffix(dryRun)}`);
        }
      }
      return 0;
    } finally {
      cluster.close();
    }
  },
};

function label({ kind, metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}
