import { LEASE_NAME } from '#pkg/install';
import { numberAt, textAt, type KubeObject } from '#pkg/object';
import type { CheckPorts } from './check.ts';

/** A leader renews it every two seconds. */
const RENEWED_WITHIN_MS = 5_000;
const POLL_MS = 500;

/** Who holds the lease of the controllers, and since when nothing was heard of them. */
export type Leader =
  | { readonly kind: 'none' }
  | { readonly kind: 'alive'; readonly holder: string }
  | { readonly kind: 'silent'; readonly holder: string; readonly seconds: number };

/**
 * The clock of whoever asks may differ from that of the leader: where the time looks wrong, only that the lease is renewed
 * tells.
 */
export async function findLeader(
  namespace: string,
  ports: Pick<CheckPorts, 'reader' | 'now' | 'sleep'>,
  signal: AbortSignal,
): Promise<Leader> {
  const read = (): Promise<KubeObject | undefined> =>
    ports.reader.get({ group: 'coordination.k8s.io', kind: 'Lease' }, namespace, LEASE_NAME, signal);
  const lease = await read();
  const holder = textAt(lease, 'spec', 'holderIdentity');
  if (!holder) return { kind: 'none' };
  const renewTime = textAt(lease, 'spec', 'renewTime') ?? '';
  const silentMs = ports.now() - Date.parse(renewTime);
  const limitMs = (numberAt(lease, 'spec', 'leaseDurationSeconds') ?? 15) * 1000;
  if (silentMs >= 0 && silentMs <= limitMs) return { kind: 'alive', holder };
  for (let waitedMs = 0; waitedMs < RENEWED_WITHIN_MS; waitedMs += POLL_MS) {
    await ports.sleep(POLL_MS, signal);
    if (textAt(await read(), 'spec', 'renewTime') !== renewTime) return { kind: 'alive', holder };
  }
  return { kind: 'silent', holder, seconds: Math.round(silentMs / 1000) };
}
