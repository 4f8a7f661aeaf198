import { CephRefused, CephSilent, type CephRunner } from './runner.ts';

const TIMEOUT_MS = 15_000;

/**
 * Asks only the cluster of this identity: a configuration file may belong to another one, and an answer from there that
 * nothing is stored would be believed.
 */
export function verifiedRunner(runner: CephRunner, fsid: string): CephRunner {
  let verified: Promise<void> | undefined;
  async function verify(signal: AbortSignal): Promise<void> {
    const command = { program: 'ceph', args: ['fsid'], timeoutMs: TIMEOUT_MS } as const;
    const { code, stdout, stderr } = await runner.run(command, signal);
    if (code !== 0) throw new CephSilent(`"ceph fsid" failed: ${stderr.trim()}`);
    const found = stdout.trim();
    if (found !== fsid) throw new CephRefused(`this is the Ceph cluster ${found}, and not ${fsid}`, 0);
  }
  return {
    run: async (command, signal) => {
      verified ??= verify(signal).catch((error: unknown) => {
        verified = undefined;
        throw error;
      });
      await verified;
      return runner.run(command, signal);
    },
  };
}
