import { join } from 'node:path';
import { cacheFolder, ensureCached } from '../controlplane/cache.ts';
import { moduleFolder, requireGo, type GoModule } from '../controlplane/go.ts';
import { output } from '../controlplane/process.ts';

/** Another program that answers a similar question. */
export interface Peer extends GoModule {
  readonly name: string;
}

export const KUBECTL_TREE: Peer = {
  name: 'kubectl-tree',
  path: 'github.com/ahmetb/kubectl-tree',
  version: 'v0.6.0',
  sum: 'h1:BbJNej8jMBZcljkiP4wLvZ/FSsLWoX9icHJGghpNdn0=',
};

export const KUBE_LINEAGE: Peer = {
  name: 'kube-lineage',
  path: 'github.com/tohjustin/kube-lineage',
  version: 'v0.5.0',
  sum: 'h1:M8Ogl9rVcbCsA07Y5lU55Z1sRVIpBZl0bcu4La0hJfg=',
};

/**
 * The executable of a peer: from the cache, else built in the folder of its own module, so with the versions that
 * its release pins. `go install` would do the same, but it also asks for the list of all versions, which not every
 * module proxy gives.
 */
export async function peerExecutable(
  peer: Peer,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const folder = cacheFolder('peers', `${peer.path}@${peer.version} ${peer.sum}`);
  const fill = (into: string): Promise<void> => build(peer, into, report, signal);
  await ensureCached({ folder, files: [peer.name], fill, report }, signal);
  return join(folder, peer.name);
}

async function build(
  peer: Peer,
  into: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await requireGo(`build ${peer.name}`, signal);
  report(`building ${peer.name} ${peer.version} (once, up to 3 min)…`);
  const source = await moduleFolder(peer, signal);
  const env = { ...process.env, CGO_ENABLED: '0' };
  // The module's folder is read-only: neither its go.mod nor its go.sum can change.
  await output(
    'go',
    ['build', '-mod=readonly', '-trimpath', '-o', join(into, peer.name), `./cmd/${peer.name}`],
    { cwd: source, env },
    signal,
  );
}
