import type { Clock } from '#pkg/clock';
import { UserError } from '#pkg/object';

export interface PatiencePorts {
  readonly clock: Clock;
  /** Progress for people; each text once. */
  say(text: string): void;
}

const POLL_MS = 250;
/** As of timeout(1). */
const TIMED_OUT = 124;

/** Looks until nothing is lacking any more, saying what is. */
export async function waitFor(
  what: string,
  lacking: (signal: AbortSignal) => Promise<string | undefined>,
  deadlineMs: number,
  { clock, say }: PatiencePorts,
  signal: AbortSignal,
): Promise<void> {
  let said: string | undefined;
  for (;;) {
    const lack = await lacking(signal);
    if (lack === undefined) return;
    if (clock.now() >= deadlineMs)
      throw new UserError(`error: timed out waiting for ${what}: ${lack} (run the command again to go on)`, {
        exitCode: TIMED_OUT,
      });
    if (lack !== said) say(`waiting for ${what}: ${lack}`);
    said = lack;
    await clock.sleep(POLL_MS, signal);
  }
}
