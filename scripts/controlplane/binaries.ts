import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, ensureCached } from './cache.ts';
import { requireGo } from './go.ts';
import { output } from './process.ts';

/** Paths of the programs a control plane is made of. */
export interface Binaries {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubectl: string;
  /** Absent only where `KUBEBUILDER_ASSETS` lacks it. */
  readonly kubeControllerManager: string | undefined;
}

interface Program {
  readonly name: string;
  readonly source: string;
  /** On two cores with an empty Go cache. */
  readonly about: string;
}

const MODULE = join(import.meta.dirname, '../../test/controlplane');

const PROGRAMS: readonly Program[] = [
  { name: 'kube-apiserver', source: 'k8s.io/kubernetes/cmd/kube-apiserver', about: '2 min' },
  {
    name: 'kube-controller-manager',
    source: 'k8s.io/kubernetes/cmd/kube-controller-manager',
    about: '1 min',
  },
  { name: 'kubectl', source: 'k8s.io/kubernetes/cmd/kubectl', about: '30 s' },
  { name: 'etcd', source: 'go.etcd.io/etcd/server/v3', about: '30 s' },
];

const HEARTBEAT_MS = 30_000;

/**
 * The programs from `KUBEBUILDER_ASSETS`, else from the cache, else built with Go into the cache.
 * Throws Unavailable where none of these is possible.
 */
export async function ensureBinaries(
  report: (line: string) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<Binaries> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets) return binariesIn(assets);
  const folder = cacheFolder('controlplane', readFileSync(join(MODULE, 'go.sum')));
  const files = PROGRAMS.map(({ name }) => name);
  await ensureCached({ folder, files, fill: (into) => buildAll(into, report, signal), report }, signal);
  return binariesIn(folder);
}

function binariesIn(folder: string): Binaries {
  const required = (name: string): string => {
    const file = join(folder, name);
    if (!existsSync(file)) throw new Error(`cannot find ${name} in ${folder} (KUBEBUILDER_ASSETS)`);
    return file;
  };
  const manager = join(folder, 'kube-controller-manager');
  return {
    etcd: required('etcd'),
    kubeApiserver: required('kube-apiserver'),
    kubectl: required('kubectl'),
    kubeControllerManager: existsSync(manager) ? manager : undefined,
  };
}

async function buildAll(into: string, report: (line: string) => void, signal: AbortSignal): Promise<void> {
  await requireGo('build the test control plane (or set KUBEBUILDER_ASSETS)', signal);
  for (const [index, program] of PROGRAMS.entries()) {
    report(`building ${program.name} (${index + 1} of ${PROGRAMS.length}, about ${program.about})…`);
    await build(program, into, report, signal);
  }
}

async function build(
  { name, source }: Program,
  into: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const started = Date.now();
  const heartbeat = setInterval(() => {
    report(`  still building ${name} after ${Math.round((Date.now() - started) / 1000)} s`);
  }, HEARTBEAT_MS);
  const args = ['build', '-o', join(into, name), '-ldflags', linkerFlags(), source];
  try {
    await output('go', args, { cwd: MODULE, env: { ...process.env, CGO_ENABLED: '0' } }, signal);
  } finally {
    clearInterval(heartbeat);
  }
}

/** Stamps the version, which an ordinary `go build` leaves at v0.0.0 and clients compare. */
function linkerFlags(): string {
  const goMod = readFileSync(join(MODULE, 'go.mod'), 'utf8');
  const [, version, major, minor] = /k8s\.io\/kubernetes (v(\d+)\.(\d+)\.\S+)/.exec(goMod) ?? [];
  if (!version) throw new Error('cannot find the version of k8s.io/kubernetes in test/controlplane/go.mod');
  const stamp = 'k8s.io/component-base/version';
  return `-s -w -X ${stamp}.gitVersion=${version} -X ${stamp}.gitMajor=${major} -X ${stamp}.gitMinor=${minor}`;
}
