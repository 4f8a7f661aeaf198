import type * as promClient from 'prom-client';
import type { Gauge, Registry } from 'prom-client';
import type { ReconcileMetrics, ReconcileResult } from './controller.ts';
import type { EventLoopLag } from './event-loop-lag.ts';
import type { Exposition } from './health-server.ts';

type PromClient = typeof promClient;

/** Asked at each collection; undefined is not shown. */
type Probe = () => number | undefined;

/** All that is counted and measured. Durations come in milliseconds and are shown in seconds. */
export interface Metrics extends ReconcileMetrics {
  /** An admission answer. `verdict` and `kind` come from short lists: each pair is a time series. */
  decided(verdict: string, kind: string, durationMs: number): void;
  watchQueue(queue: string, depth: () => number): void;
  /** How long ago the cache of a kind was last known to be current. */
  watchCacheLag(kind: string, lagMs: Probe): void;
  /** When a certificate ends, in milliseconds since 1970. */
  watchCertificateExpiry(certificate: string, expiryMs: Probe): void;
  watchLeading(isLeading: () => boolean): void;
  watchEventLoop(lag: EventLoopLag): void;
  exposition(): Promise<Exposition>;
}

/** A registry of its own, with the process's own metrics. `prefix` starts the names of ours: `rook_deps_`. */
export async function createMetrics(prefix: string): Promise<Metrics> {
  // Loaded only here: a command that serves no metrics does not pay for it.
  const prom = await import('prom-client');
  const registry = new prom.Registry();
  prom.collectDefaultMetrics({ register: registry });
  const reconciled = reconcileMetrics(prom, registry, prefix);
  const decided = decisionMetrics(prom, registry, prefix);
  const gauge = (name: string, help: string, label: string): ((value: string, probe: Probe) => void) =>
    probedGauge(prom, registry, { name: prefix + name, help, label });

  const queueDepth = gauge('queue_depth', 'Keys that wait for a worker.', 'queue');
  const cacheLag = gauge('cache_lag_seconds', 'Time since the cache was last known to be current.', 'kind');
  const expiry = gauge(
    'certificate_expiry_timestamp_seconds',
    'When the certificate ends, in seconds since 1970.',
    'certificate',
  );
  return {
    reconciled,
    decided,
    watchQueue: queueDepth,
    watchCacheLag: (kind, lagMs) => cacheLag(kind, inSeconds(lagMs)),
    watchCertificateExpiry: (certificate, expiryMs) => expiry(certificate, inSeconds(expiryMs)),
    watchLeading: (isLeading) => leadingGauge(prom, registry, prefix, isLeading),
    watchEventLoop: (lag) => eventLoopGauge(prom, registry, prefix, lag),
    exposition: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

const inSeconds =
  (probeMs: Probe): Probe =>
  () => {
    const ms = probeMs();
    return ms === undefined ? undefined : ms / 1000;
  };

function reconcileMetrics(prom: PromClient, registry: Registry, prefix: string): Metrics['reconciled'] {
  const registers = [registry];
  const errors = new prom.Counter({
    name: `${prefix}reconcile_errors_total`,
    help: 'Reconciles that failed; conflicts are none.',
    labelNames: ['controller', 'result'],
    registers,
  });
  const duration = new prom.Histogram({
    name: `${prefix}reconcile_duration_seconds`,
    help: 'Time of one reconcile.',
    labelNames: ['controller', 'result'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60],
    registers,
  });
  return (controller: string, result: ReconcileResult, durationMs: number) => {
    if (result === 'error' || result === 'terminal-error') errors.inc({ controller, result });
    duration.observe({ controller, result }, durationMs / 1000);
  };
}

function decisionMetrics(prom: PromClient, registry: Registry, prefix: string): Metrics['decided'] {
  const registers = [registry];
  const decisions = new prom.Counter({
    name: `${prefix}decisions_total`,
    help: 'Admission answers.',
    labelNames: ['verdict', 'kind'],
    registers,
  });
  const latency = new prom.Histogram({
    name: `${prefix}admission_duration_seconds`,
    help: 'Time from an admission request to its answer. The API server waits 10 s by default.',
    labelNames: ['verdict'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10],
    registers,
  });
  return (verdict, kind, durationMs) => {
    decisions.inc({ verdict, kind });
    latency.observe({ verdict }, durationMs / 1000);
  };
}

/** A gauge with one series per probe. A probe for a value that has one takes its place. */
function probedGauge(
  prom: PromClient,
  registry: Registry,
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
): (value: string, probe: Probe) => void {
  const probes = new Map<string, Probe>();
  const gauge: Gauge = new prom.Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect: () => {
      gauge.reset();
      for (const [value, probe] of probes) {
        const found = probe();
        if (found !== undefined) gauge.set({ [label]: value }, found);
      }
    },
  });
  return (value, probe) => void probes.set(value, probe);
}

function leadingGauge(prom: PromClient, registry: Registry, prefix: string, isLeading: () => boolean): void {
  const gauge: Gauge = new prom.Gauge({
    name: `${prefix}leader`,
    help: '1 on the replica that holds the lease, else 0.',
    registers: [registry],
    collect: () => gauge.set(isLeading() ? 1 : 0),
  });
}

function eventLoopGauge(prom: PromClient, registry: Registry, prefix: string, lag: EventLoopLag): void {
  const gauge: Gauge = new prom.Gauge({
    name: `${prefix}event_loop_lag_seconds`,
    help: 'How late the event loop was since the previous collection.',
    labelNames: ['quantile'],
    registers: [registry],
    collect: () => {
      const { p50Ms, p99Ms, maxMs } = lag.read();
      gauge.set({ quantile: '0.5' }, p50Ms / 1000);
      gauge.set({ quantile: '0.99' }, p99Ms / 1000);
      gauge.set({ quantile: '1' }, maxMs / 1000);
    },
  });
}
