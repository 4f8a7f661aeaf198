import { setTimeout as sleep } from 'node:timers/promises';
import type { Children } from '../controlplane/index.ts';
import type { CephCluster } from './cluster.ts';
import type { CephLayout } from './layout.ts';

const POLL_MS = 100;

/** Starts a metadata server for a filesystem whose pools are there already, and waits until it is active. */
export async function addFilesystem(
  cluster: CephCluster,
  children: Children,
  { conf }: CephLayout,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  await cluster.output('ceph', ['fs', 'new', name, `${name}-metadata`, `${name}-data0`]);
  children.start('mds.a', 'ceph-mds', ['-f', '-i', 'a', '-c', conf]);
  while (!(await cluster.output('ceph', ['mds', 'stat'])).includes('up:active')) {
    await sleep(POLL_MS, undefined, { signal });
  }
}
