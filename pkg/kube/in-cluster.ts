import { readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import path from 'node:path';
import type { Environment } from './kubeconfig-merge.ts';

/** Where a pod finds its own credentials. */
export const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What a pod knows of the cluster it runs in. */
export interface PodIdentity {
  readonly server: string;
  readonly tokenFile: string;
  readonly caFile: string;
  readonly namespace: string | undefined;
}

/** Undefined outside of a pod, and in a pod that mounts no token. */
export function podIdentity(env: Environment, directory: string): PodIdentity | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  const tokenFile = path.join(directory, 'token');
  if (!host || !port || !statSync(tokenFile, { throwIfNoEntry: false })?.isFile()) return undefined;
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tokenFile,
    caFile: path.join(directory, 'ca.crt'),
    namespace: env['POD_NAMESPACE'] || contentOf(path.join(directory, 'namespace')),
  };
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
