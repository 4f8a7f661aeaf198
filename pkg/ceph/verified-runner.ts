import { CephRefused, CephSilent, type CephRunner } from './runner.ts';

/**
 * Asks only the cluster of this identity: a configuration file may belong to another one, and an answer from there that
 * nothing is stored would be believed.
 */
export function verifiedRunner(runner: CephRunner, fsid: string): CephRunner {
  let isVerified = false;
  async function verify(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { code, stdout, stderr } = await runner.run({ program: 'ceph', args: ['fsid'], timeoutMs }, signal);
    if (code !== 0) throw new CephSilent(`"ceph fsid" failed: ${stderr.trim()}`);
    const found = stdout.trim();
    if (found !== fsid) throw new CephRefused(`this is the Ceph cluster ${found}, and not ${fsid}`, 0);
    isVerified = true;
  }
  return {
    run: async (command, signal) => {
      // Each for itself until one has: who stops waiting must not take the answer from the others.
      if (!isVerified) await verify(command.timeoutMs, signal);
      return runner.run(command, signal);
    },
  };
}
