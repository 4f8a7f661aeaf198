import { isTrueAt, numberAt, textAt, type KubeObject } from '#pkg/object';

/** What a CephCluster says about drains. */
export interface DrainSettings {
  /** Whether Rook makes the budgets. */
  readonly isRooks: boolean;
  /** How long noout may stay. */
  readonly timeoutMs: number;
  /** Which states of placement groups are healthy, where the cluster has its own idea of it. */
  readonly healthy: RegExp | undefined;
  /** What in it is not understood, and is left out. */
  readonly trouble?: string;
}

const TIMEOUT_MINUTES = 30;

export function drainSettings(cluster: KubeObject): DrainSettings {
  const own = ['spec', 'disruptionManagement'] as const;
  const pattern = textAt(cluster, ...own, 'pgHealthyRegex');
  const minutes = numberAt(cluster, ...own, 'osdMaintenanceTimeout') ?? 0;
  const healthy = pattern === undefined ? undefined : regular(pattern);
  return {
    isRooks: isTrueAt(cluster, ...own, 'managePodBudgets'),
    // None, or zero, is the standard.
    timeoutMs: (minutes > 0 ? minutes : TIMEOUT_MINUTES) * 60_000,
    healthy,
    ...(pattern !== undefined && !healthy ? { trouble: `pgHealthyRegex is not understood: ${pattern}` } : {}),
  };
}

function regular(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
