import { existsSync } from 'node:fs';
import {
  adminOps,
  askedCeph,
  boundedRunner,
  cephClient,
  execRunner,
  localRunner,
  skippedCeph,
  unaskedCeph,
  verifiedRunner,
  type CephContents,
  type CephRunner,
} from '#pkg/ceph';
import type { PodExec } from '#pkg/kube';
import { textAt, UserError, type KubeObject, type Reader } from '#pkg/object';
import type { Args } from './args.ts';
import type { FlagSpecs } from './command.ts';
import type { Io } from './io.ts';
import type { Source } from './wiring.ts';

export const CEPH_FLAGS: FlagSpecs = {
  'no-ceph': {
    type: 'boolean',
    describe: 'Do not ask Ceph for what it holds, and do not count it as unchecked.',
  },
  'ceph-conf': {
    type: 'string',
    describe:
      "Ask Ceph with this machine's own ceph program and this configuration file, not in the pod of the operator.",
  },
};

/** Programs at a time: each is a process, perhaps in the operator's own pod. */
const MAX_QUESTIONS = 4;

/** Whom to ask about data inside Ceph, as the flags say. Nobody, for saved manifests without a configuration. */
export async function openCeph(args: Args, source: Source, io: Io): Promise<CephContents> {
  const conf = args.text('ceph-conf');
  if (args.isSet('no-ceph')) {
    if (conf !== undefined) throw new UserError('error: --no-ceph and --ceph-conf contradict each other');
    return skippedCeph();
  }
  if (conf !== undefined) {
    if (!existsSync(conf)) throw new UserError(`error: open ${conf}: no such file or directory`);
    const local = localRunner({ conf, env: io.env });
    return asked(source.reader, (cluster) => ofCluster(local, cluster), io.now);
  }
  const { exec } = source;
  return exec ? asked(source.reader, execIn(source.reader, exec), io.now) : unaskedCeph();
}

async function asked(
  reader: Reader,
  runnerOf: (cluster: KubeObject | undefined) => CephRunner | undefined,
  now: () => number,
): Promise<CephContents> {
  const { Limiter } = await import('#pkg/kube');
  const limiter = new Limiter(MAX_QUESTIONS);
  return askedCeph({
    reader,
    cephOf: (cluster) => {
      const runner = runnerOf(cluster);
      return runner && cephClient(boundedRunner(runner, limiter));
    },
    adminOps: adminOps(now),
    isInCluster: false,
  });
}

/** Whoever names a configuration wants its cluster to be asked, also where no resource stands for it. */
function ofCluster(runner: CephRunner, cluster: KubeObject | undefined): CephRunner {
  const fsid = textAt(cluster, 'status', 'ceph', 'fsid');
  return fsid ? verifiedRunner(runner, fsid) : runner;
}

/** One runner for each cluster: it remembers the pod that answered. */
function execIn(
  reader: Reader,
  { exec }: PodExec,
): (cluster: KubeObject | undefined) => CephRunner | undefined {
  const runners = new Map<string, CephRunner>();
  return (cluster) => {
    const namespace = cluster?.metadata.namespace;
    if (!namespace) return undefined;
    const known = runners.get(namespace) ?? execRunner(namespace, { reader, exec });
    runners.set(namespace, known);
    return known;
  };
}
