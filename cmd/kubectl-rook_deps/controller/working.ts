import { isConflict } from '#pkg/object';
import { controller, type Component, type Queue, type Reconciler } from '#pkg/runtime';
import type { Machinery } from './feature.ts';

const WORKERS = 4;
const RECONCILE_TIMEOUT_MS = 60_000;

/** Workers that take what is in a queue, one key at a time each. `begin` is for a leader that has just become one. */
export function working<K>(
  name: string,
  queue: Queue<K>,
  reconciler: Reconciler<K>,
  { logger, metrics, clock }: Pick<Machinery, 'logger' | 'metrics' | 'clock'>,
  begin: () => void,
  { workers = WORKERS, timeoutMs = RECONCILE_TIMEOUT_MS } = {},
): Component {
  metrics.watchQueue(name, () => queue.depth);
  const { run } = controller({
    name,
    queue,
    reconciler,
    workers,
    timeoutMs,
    logger,
    metrics,
    clock,
    isConflict,
  });
  return {
    name,
    run: (signal) => {
      begin();
      return run(signal);
    },
  };
}

/** Since when nothing was heard on the quietest of some watches; undefined before the first word. */
export function cacheLagMs(
  watch: { health(): Iterable<{ readonly health: { readonly heardAtMs?: number | undefined } }> },
  now: number,
): number | undefined {
  const heard = [...watch.health()].flatMap(({ health }) => health.heardAtMs ?? []);
  return heard.length > 0 ? now - Math.min(...heard) : undefined;
}
