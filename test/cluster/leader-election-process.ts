import { systemClock } from '#pkg/clock';
import { connect, kubeReader, kubeWriter, loadKubeconfig, refreshedTypes } from '#pkg/kube';
import { silentLogger } from '#pkg/log';
import { leaderElector, leasePort, type LeaderElector, type LeasePort } from '#pkg/runtime';

/** Short, so that a test need not wait for long; in the proportions of the defaults. */
const TIMINGS = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 300 };

/** What the process prints, one to a line. */
export type Said = 'working' | 'idle';

/** Leases of a real API server, over a connection of their own. */
export async function openLeases(kubeconfig: string): Promise<{ leases: LeasePort; close: () => void }> {
  const connection = loadKubeconfig({ kubeconfig }, {}, '/nonexistent');
  const transport = await connect(connection, { userAgent: 'rook-deps-test', onWarning: () => undefined });
  const types = refreshedTypes(transport, systemClock);
  const leases = leasePort(kubeReader(transport, { types }), kubeWriter(transport, types));
  return { leases, close: () => transport.close() };
}

export function electorOn(leases: LeasePort, namespace: string, identity: string): LeaderElector {
  const names = { namespace, name: 'controller', identity };
  return leaderElector({ ...names, ...TIMINGS, leases, clock: systemClock, logger: silentLogger });
}

async function main([kubeconfig = '', namespace = '', identity = '']: readonly string[]): Promise<void> {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const say = (what: Said): void => void process.stdout.write(`${what}\n`);
  const { leases, close } = await openLeases(kubeconfig);
  await electorOn(leases, namespace, identity).run(stop.signal, async (signal) => {
    say('working');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    say('idle');
  });
  close();
}

if (import.meta.main) await main(process.argv.slice(2));
