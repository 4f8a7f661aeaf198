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
  type Bound,
  type Ceph,
  type CephContents,
  type CephRunner,
} from '#pkg/ceph';
import type { PodExec } from '#pkg/kube';
import { textAt, UserError, type KubeObject, type Reader, type Writer } from '#pkg/object';
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

/** Whether Ceph is asked, as the flags say, and the way to that of each cluster. */
export type CephAccess =
  /** The user does not want it. */
  | { readonly kind: 'left out' }
  /** There is no way: saved manifests without a configuration. */
  | { readonly kind: 'none' }
  | { readonly kind: 'asked'; cephOf(cluster: KubeObject | undefined): Ceph | undefined };

export async function cephAccess(args: Args, { reader, writer, exec }: Source, io: Io): Promise<CephAccess> {
  const conf = args.text('ceph-conf');
  if (args.isSet('no-ceph')) {
    if (conf !== undefined) throw new UserError('error: --no-ceph and --ceph-conf contradict each other');
    return { kind: 'left out' };
  }
  if (conf !== undefined && !existsSync(conf))
    throw new UserError(`error: open ${conf}: no such file or directory`);
  if (conf === undefined && !exec) return { kind: 'none' };
  const { Limiter } = await import('#pkg/kube');
  const cephOf = cephWays({ reader, writer, exec, conf, env: io.env }, new Limiter(MAX_QUESTIONS));
  return {
    kind: 'asked',
    // Whoever names a configuration wants its cluster to be asked, also where no resource stands for it.
    cephOf: (cluster) => (cluster || conf !== undefined ? cephOf(cluster) : undefined),
  };
}

/** Whom to ask about data inside Ceph. */
export async function openCeph(args: Args, source: Source, io: Io): Promise<CephContents> {
  const access = await cephAccess(args, source, io);
  switch (access.kind) {
    case 'left out':
      return skippedCeph();
    case 'none':
      return unaskedCeph();
    case 'asked': {
      const { reader } = source;
      return askedCeph({
        reader,
        cephOf: access.cephOf,
        adminOps: adminOps(io.now),
        isInCluster: false,
      });
    }
  }
}

export interface CephWays {
  readonly reader: Reader;
  /** To ask what the account of a pod may do that looks like an operator. */
  readonly writer: Pick<Writer, 'createReview'> | undefined;
  readonly exec: PodExec | undefined;
  readonly conf: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Nodes whose pods are better not asked in. */
  avoids?(node: string): boolean;
}

/** The way to the Ceph of each cluster: this machine's programs if there is a configuration, else those in pods. */
export function cephWays(
  { reader, writer, exec, conf, env, avoids }: CephWays,
  bound: Bound,
): (cluster: KubeObject | undefined) => Ceph {
  const local = conf === undefined ? undefined : localRunner({ conf, env });
  const ports = { reader, writer, exec: exec ? exec.exec : noExec, ...(avoids ? { avoids } : {}) };
  // One for each cluster: it remembers the pod that answered.
  const runners = new Map<string, CephRunner>();
  return (cluster) => {
    const namespace = cluster?.metadata.namespace ?? '';
    const fsid = textAt(cluster, 'status', 'ceph', 'fsid');
    const key = `${namespace}/${fsid ?? ''}`;
    const known =
      runners.get(key) ?? (local ? ofCluster(local, fsid) : execRunner({ namespace, fsid }, ports));
    runners.set(key, known);
    return cephClient(boundedRunner(known, bound));
  };
}

function ofCluster(runner: CephRunner, fsid: string | undefined): CephRunner {
  return fsid ? verifiedRunner(runner, fsid) : runner;
}

function noExec(): Promise<never> {
  return Promise.reject(new Error('there is no way into a pod'));
}
