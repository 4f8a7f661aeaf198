import { randomUUID } from 'node:crypto';
import type { Clock } from '#pkg/clock';
import type { Logger } from '#pkg/log';
import { aborted } from './aborted.ts';
import type { Component } from './component.ts';
import type { Queue } from './queue.ts';
import { TerminalError, type Outcome, type Reconciler } from './reconciler.ts';
import { timeLimit } from './time-limit.ts';

/** How a reconcile ended. `stopped`: by the shutdown of the controller. */
export type ReconcileResult = 'success' | 'conflict' | 'error' | 'terminal-error' | 'stopped';

export interface ReconcileMetrics {
  reconciled(controller: string, result: ReconcileResult, durationMs: number): void;
}

export interface ControllerOptions<K> {
  readonly name: string;
  /** Shut down when the controller ends. */
  readonly queue: Queue<K>;
  readonly reconciler: Reconciler<K>;
  readonly workers: number;
  /** For one reconcile: its signal is aborted then. It is not abandoned, for its key may not be with two workers. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly metrics: ReconcileMetrics;
  readonly clock: Clock;
  /** Someone else wrote first: not an error, the next try reads what they wrote. */
  readonly isConflict?: ((error: unknown) => boolean) | undefined;
}

/** Workers that take keys from a queue and reconcile them. A reconcile that fails is tried again, and never ends it. */
export function controller<K>(options: ControllerOptions<K>): Component {
  const { name, queue, workers } = options;
  return {
    name,
    async run(signal) {
      try {
        await Promise.all(Array.from({ length: workers }, () => work(options, signal)));
        // A queue that was shut down and is empty ends the work, but only the signal ends a component.
        await aborted(signal);
      } finally {
        // Also ends its timers, which would keep the process alive. Keys that waited are found anew by whoever is next.
        void queue.shutDown();
      }
    },
  };
}

async function work<K>(options: ControllerOptions<K>, signal: AbortSignal): Promise<void> {
  const { queue } = options;
  for (;;) {
    const key = await queue.take(signal);
    if (key === undefined) return;
    try {
      await reconcileOnce(options, key, signal);
    } finally {
      queue.done(key);
    }
  }
}

async function reconcileOnce<K>(options: ControllerOptions<K>, key: K, signal: AbortSignal): Promise<void> {
  const { name, queue, metrics, clock } = options;
  const facts = { controller: name, object: queue.idOf(key), reconcileId: randomUUID() };
  const logger = options.logger.with(facts);
  const startedMs = clock.now();
  const end = (result: ReconcileResult): number => {
    const durationMs = clock.now() - startedMs;
    metrics.reconciled(name, result, durationMs);
    return durationMs;
  };
  try {
    const outcome = await withinLimit(options, key, logger, signal);
    logger.info('reconciled', { durationMs: end('success'), outcome });
    follow(queue, key, outcome);
  } catch (err) {
    const result = resultOf(err, options, signal);
    const durationMs = end(result);
    if (result === 'conflict' || result === 'stopped') logger.info('reconcile ended', { durationMs, result });
    else logger.error('reconcile failed', { durationMs, result, err });
    if (result === 'terminal-error') queue.forget(key);
    else if (result !== 'stopped') queue.retry(key);
  }
}

async function withinLimit<K>(
  { reconciler, clock, timeoutMs }: ControllerOptions<K>,
  key: K,
  logger: Logger,
  signal: AbortSignal,
): Promise<Outcome> {
  const limit = timeLimit(clock, timeoutMs, `reconcile did not end within ${timeoutMs} ms`);
  // Said at once: one that does not heed its signal might never come to its own line.
  limit.signal.addEventListener('abort', () => logger.error('reconcile takes too long', { timeoutMs }));
  try {
    return await reconciler.reconcile(key, AbortSignal.any([signal, limit.signal]));
  } finally {
    limit.cancel();
  }
}

function follow<K>(queue: Queue<K>, key: K, outcome: Outcome): void {
  queue.forget(key);
  switch (outcome.kind) {
    case 'wait-for-change':
      return;
    case 'look-again':
      queue.addAfter(key, outcome.afterMs);
  }
}

function resultOf<K>(error: unknown, options: ControllerOptions<K>, signal: AbortSignal): ReconcileResult {
  if (signal.aborted) return 'stopped';
  if (error instanceof TerminalError) return 'terminal-error';
  return options.isConflict?.(error) === true ? 'conflict' : 'error';
}
