import type { Clock } from '#pkg/clock';
import type { Logger } from '#pkg/log';
import { aborted } from './aborted.ts';
import type { Component } from './component.ts';
import { Crew } from './crew.ts';
import { timeLimit } from './time-limit.ts';

export interface RunOptions {
  /** From the order to stop (or the end of the drain) to the last component's end. */
  readonly graceMs: number;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What happens between the order to stop and the first component's stop. */
export interface Drain {
  /** Must make the readiness check fail. */
  readonly stopBeingReady: () => void;
  /** Until all who send requests know: they go on being answered. */
  readonly drainMs: number;
}

/**
 * Runs all until the signal is aborted. One that ends or fails before stops the others, and is the rejection. Rejects
 * too if some do not stop within the grace.
 */
export async function runComponents(
  components: readonly Component[],
  options: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  await runInStages([components], { stopBeingReady: () => undefined, drainMs: 0 }, options, signal);
}

/**
 * As runComponents, but stops in order: no longer ready, then the drain, then one stage after another, the first
 * first. Servers come before controllers; a leader's lease is released by the component that runs its controllers.
 */
export async function runInStages(
  stages: readonly (readonly Component[])[],
  drain: Drain,
  options: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const crews = stages.map(() => new Crew(options.logger));
  stages.forEach((components, index) => crews[index]?.start(components, (error) => failed.abort(error)));
  await aborted(AbortSignal.any([signal, failed.signal]));

  if (failed.signal.aborted) options.logger.error('stopping', { err: failed.signal.reason });
  else options.logger.info('stopping');
  drain.stopBeingReady();
  if (drain.drainMs > 0) await options.clock.sleep(drain.drainMs, new AbortController().signal);
  await stopInOrder(crews, options, failed);
  failed.signal.throwIfAborted();
}

async function stopInOrder(
  crews: readonly Crew[],
  { graceMs, clock }: RunOptions,
  failed: AbortController,
): Promise<void> {
  const grace = timeLimit(clock, graceMs, 'the grace is over');
  try {
    // When the grace is over, those that remain are still told to stop.
    for (const crew of crews) await crew.stop(grace.signal);
  } finally {
    grace.cancel();
  }
  const late = crews.flatMap(({ running }) => running);
  // A failure before this one stays the reason.
  if (late.length > 0) failed.abort(new Error(`did not stop within ${graceMs} ms: ${late.join(', ')}`));
}
