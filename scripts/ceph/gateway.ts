import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Children } from '../controlplane/index.ts';
import { RGW_NAME, type CephLayout } from './layout.ts';
import type { CephCluster } from './cluster.ts';

/** The user that Rook makes for itself. */
const ADMIN_USER = 'rgw-admin-ops-user';
const CAPS = 'buckets=*;users=*;usage=read;metadata=read;zone=read';
const POLL_MS = 100;

/** A running object gateway, and the user that may ask it about everything. */
export interface Gateway {
  readonly port: number;
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export async function startGateway(
  cluster: CephCluster,
  children: Children,
  { conf, rgwPort }: CephLayout,
  signal: AbortSignal,
): Promise<Gateway> {
  children.start(RGW_NAME, 'radosgw', ['-f', '-n', RGW_NAME, '-c', conf]);
  const endpoint = `http://127.0.0.1:${rgwPort}`;
  while (!(await answers(endpoint, signal))) await sleep(POLL_MS, undefined, { signal });
  const accessKey = randomBytes(10).toString('hex');
  const secretKey = randomBytes(20).toString('hex');
  const keys = [`--access-key=${accessKey}`, `--secret-key=${secretKey}`];
  const user = [`--uid=${ADMIN_USER}`, '--display-name=admin ops', `--caps=${CAPS}`, ...keys];
  await cluster.output('radosgw-admin', ['user', 'create', ...user]);
  return { port: rgwPort, endpoint, accessKey, secretKey };
}

async function answers(endpoint: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetch(endpoint, { signal })).ok;
  } catch {
    return false;
  }
}
