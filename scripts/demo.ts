import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildPlugin } from './build.ts';

const ROOT = join(import.meta.dirname, '..');

interface Scene {
  readonly about: string;
  readonly args: string;
}

const SCENES: readonly Scene[] = [
  {
    about: 'A pool in use: by volumes, a snapshot, a tenant, a client.',
    args: 'why cephblockpool/replicapool -n rook-ceph',
  },
  {
    about: 'A pool that looks empty, because the images are listed in another one.',
    args: 'why cephbp/ec-data-pool -n rook-ceph',
  },
  {
    about: 'A deletion that has been stuck for days.',
    args: 'why cephfs scratchfs -n rook-ceph',
  },
  {
    about:
      'A pool that nothing refers to. Ceph itself is not asked here: there is none behind saved manifests.',
    args: 'why cephblockpool/staging-pool -n rook-ceph --no-ceph',
  },
  {
    about: 'All that depends on the cluster.',
    args: 'tree cephcluster/rook-ceph -n rook-ceph',
  },
];

/** Shows one command as a user types it, then its output. Returns whether it ran well. */
function play(executable: string, { about, args }: Scene): boolean {
  const typed = `${args} --from docs/examples`;
  process.stdout.write(`\n# ${about}\n$ kubectl rook-deps ${typed}\n`);
  // Without --exit-code a verdict is no failure, whatever it says.
  const { status, signal, error } = spawnSync(executable, typed.split(' '), { cwd: ROOT, stdio: 'inherit' });
  if (status === 0) return true;
  process.stderr.write(
    `demo: the command above failed: ${error?.message ?? signal ?? `exit code ${status}`}\n`,
  );
  return false;
}

const { executable } = await buildPlugin((line) => process.stdout.write(`${line}\n`));
const failures = SCENES.filter((scene) => !play(executable, scene));
process.exitCode = failures.length === 0 ? 0 : 1;
