import type { Installed } from '#pkg/install';
import {
  isForbidden,
  isTerminating,
  listAt,
  numberAt,
  textAt,
  type KubeObject,
  type Listing,
} from '#pkg/object';
import { ok, warning, type Check, type CheckPorts } from './check.ts';
import { samples } from './metrics-text.ts';

/** A sound watch hears of the server every minute. */
const MOST_LAG_S = 120;

/** What the replicas say of themselves, asked through the API server. */
export function replicaChecks({ namespace }: Installed, { reader, raw }: CheckPorts): readonly Check[] {
  return [
    {
      section: 'Installation',
      title: 'what the replicas have seen is fresh',
      async look(signal) {
        const { items, gaps } = await controllers(namespace, reader, signal);
        if (gaps[0])
          return warning(
            `not looked at: ${gaps[0].reason}`,
            `you lack the right to list pods in ${namespace}`,
          );
        const pods = items.filter((pod) => !isTerminating(pod));
        const port = healthPort(pods[0]);
        const lags: number[] = [];
        for (const { metadata } of pods) {
          const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}:${port}/proxy/metrics`;
          const text = await raw(path, signal).catch((error: unknown) => error);
          if (typeof text !== 'string') return unasked(text);
          lags.push(...samples(text, 'rook_deps_cache_lag_seconds'));
        }
        if (lags.length === 0) return warning('no replica says anything', 'are they ready?');
        const most = Math.round(Math.max(...lags));
        const hint = 'refusals may be late, nothing is allowed by mistake; can they reach the API server?';
        return most <= MOST_LAG_S ? ok(`${most} s`) : warning(`nothing was heard for ${most} s`, hint);
      },
    },
  ];
}

async function controllers(
  namespace: string,
  reader: CheckPorts['reader'],
  signal: AbortSignal,
): Promise<Listing> {
  const labelSelector = 'app.kubernetes.io/name=rook-deps,app.kubernetes.io/component=controller';
  const kind = { group: '', kind: 'Pod' };
  return reader.list({ kind, namespace, detail: 'object', labelSelector }, signal);
}

function healthPort(pod: KubeObject | undefined): number {
  const ports = listAt(pod, 'spec', 'containers').flatMap((container) => listAt(container, 'ports'));
  const health = ports.find((port) => textAt(port, 'name') === 'health');
  return numberAt(health, 'containerPort') ?? 8081;
}

function unasked(error: unknown): ReturnType<typeof warning> {
  const detail = error instanceof Error ? error.message : String(error);
  return warning(
    `not looked at: ${detail}`,
    isForbidden(error) ? 'you lack the right to get pods/proxy' : 'can the API server reach the node?',
  );
}
