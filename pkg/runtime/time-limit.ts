import type { Clock } from '#pkg/clock';

/** A signal that is aborted when its time is over. Must be cancelled when no longer needed. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  cancel(): void;
}

/** Counts from now. Runs on timers alone, so setting the time of day neither shortens nor lengthens it. */
export function timeLimit(clock: Clock, ms: number, reason: string): TimeLimit {
  const over = new AbortController();
  const timer = new AbortController();
  clock.sleep(ms, timer.signal).then(
    () => over.abort(new DOMException(reason, 'TimeoutError')),
    () => undefined, // cancelled
  );
  return { signal: over.signal, cancel: () => timer.abort() };
}
