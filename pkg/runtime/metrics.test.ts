import { describe, expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

async function linesOf(metrics: { exposition(): Promise<{ readonly text: string }> }): Promise<string[]> {
  return (await metrics.exposition()).text.split('\n').filter((line) => line.startsWith('test_'));
}

describe('createMetrics', () => {
  test('counts decisions by verdict and kind, and measures how long they took', async () => {
    const metrics = await createMetrics('test_');
    metrics.decided('blocked', 'CephBlockPool', 30);
    metrics.decided('blocked', 'CephBlockPool', 30);
    metrics.decided('deletable', 'Secret', 300);
    const lines = await linesOf(metrics);
    expect(lines).toContain('test_decisions_total{verdict="blocked",kind="CephBlockPool"} 2');
    expect(lines).toContain('test_decisions_total{verdict="deletable",kind="Secret"} 1');
    expect(lines).toContain('test_admission_duration_seconds_bucket{le="0.025",verdict="blocked"} 0');
    expect(lines).toContain('test_admission_duration_seconds_bucket{le="0.05",verdict="blocked"} 2');
    expect(lines).toContain('test_admission_duration_seconds_sum{verdict="deletable"} 0.3');
  });

  test('counts failed reconciles and no others as errors', async () => {
    const metrics = await createMetrics('test_');
    for (const result of ['success', 'conflict', 'stopped', 'error', 'terminal-error'] as const)
      metrics.reconciled('usage', result, 1_500);
    const lines = await linesOf(metrics);
    expect(lines.filter((line) => line.startsWith('test_reconcile_errors_total'))).toEqual([
      'test_reconcile_errors_total{controller="usage",result="error"} 1',
      'test_reconcile_errors_total{controller="usage",result="terminal-error"} 1',
    ]);
    expect(lines).toContain('test_reconcile_duration_seconds_sum{controller="usage",result="success"} 1.5');
  });

  test('asks for depths, lags, expiries and the lead when it is asked itself', async () => {
    const metrics = await createMetrics('test_');
    let depth = 3;
    let lagMs: number | undefined = 250;
    metrics.watchQueue('usage', () => depth);
    metrics.watchQueue('claims', () => 0);
    metrics.watchCacheLag('Pod', () => lagMs);
    metrics.watchCertificateExpiry('serving', () => Date.UTC(2030, 0, 1));
    metrics.watchLeading(() => true);
    metrics.watchEventLoop({ read: () => ({ p50Ms: 1, p99Ms: 20, maxMs: 300 }), stop: () => undefined });
    expect((await linesOf(metrics)).toSorted()).toEqual([
      'test_cache_lag_seconds{kind="Pod"} 0.25',
      'test_certificate_expiry_timestamp_seconds{certificate="serving"} 1893456000',
      'test_event_loop_lag_seconds{quantile="0.5"} 0.001',
      'test_event_loop_lag_seconds{quantile="0.99"} 0.02',
      'test_event_loop_lag_seconds{quantile="1"} 0.3',
      'test_leader 1',
      'test_queue_depth{queue="claims"} 0',
      'test_queue_depth{queue="usage"} 3',
    ]);
    depth = 1;
    lagMs = undefined;
    const lines = await linesOf(metrics);
    expect(lines).toContain('test_queue_depth{queue="usage"} 1');
    expect(lines.filter((line) => line.startsWith('test_cache_lag'))).toEqual([]);
  });

  test('shows the process and its event loop, in a registry of its own', async () => {
    const [first, second] = [await createMetrics('test_'), await createMetrics('test_')];
    first.decided('blocked', 'Secret', 1);
    const { text, contentType } = await first.exposition();
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(contentType).toContain('text/plain');
    expect((await second.exposition()).text).not.toContain('kind="Secret"');
    const { register } = await import('prom-client');
    expect(register.getMetricsAsArray()).toEqual([]);
  });
});
