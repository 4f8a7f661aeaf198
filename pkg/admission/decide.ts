import type { Logger } from '#pkg/log';
import { failure, unavailable, type Answer } from './answer.ts';
import type { Limiter } from '#pkg/kube';
import type { AdmissionHandler } from './handler.ts';
import type { AdmissionRequest } from './request.ts';

/** The reason of a signal that was aborted because the time was up, not because the client has gone. */
export class TimeIsUp extends Error {
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`no decision within ${limitMs} ms`);
    this.name = 'TimeIsUp';
    this.limitMs = limitMs;
  }
}

/** Asks the handler, for as long as the signal allows. Never rejects: what goes wrong is a refusal. */
export async function decide(
  handler: AdmissionHandler,
  request: AdmissionRequest,
  gate: Limiter,
  logger: Logger,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    // Inside the gate: a handler that ignores its signal must not keep its place for ever.
    return await gate.run(() => unlessAborted(handler(request, signal), signal), signal);
  } catch (error) {
    if (signal.aborted) return handler.whenUnsure ?? tooLate(signal.reason);
    logger.error('cannot decide', { err: error });
    if (handler.whenUnsure) return handler.whenUnsure;
    const message = error instanceof Error ? error.message : String(error);
    return failure(`cannot decide on this request (${request.uid}): ${message}`);
  }
}

function tooLate(reason: unknown): Answer {
  const within = reason instanceof TimeIsUp ? ` within ${reason.limitMs / 1000} s` : '';
  return unavailable(`could not find out${within} whether this is safe, so it is refused; try again`);
}

/** A handler that ignores its signal is left behind, and so is what it throws later. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(signal.reason as Error);
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
