import { UserError } from '#pkg/object';
import type { Args } from './args.ts';
import type { FlagSpec } from './command.ts';
import type { Io } from './io.ts';

export const YES_FLAG: FlagSpec = { type: 'boolean', alias: 'y', describe: 'Do not ask for confirmation.' };

/** Asks for a name to be typed, as a plain yes is typed too quickly. */
export async function confirmByName(
  names: readonly string[],
  args: Args,
  io: Io,
  signal: AbortSignal,
): Promise<boolean> {
  if (args.isSet('yes')) return true;
  if (!io.isAttended) throw new UserError('error: confirmation required; pass --yes');
  const wanted = names.join(' ');
  const answer = await io.ask(`Type ${wanted} to delete ${names.length > 1 ? 'them' : 'it'}: `, signal);
  return answer.trim() === wanted;
}

/** Asks before something is done that cannot be undone; where nobody could answer, `--yes` must have been given. */
export async function confirm(
  plan: readonly string[],
  args: Args,
  io: Io,
  signal: AbortSignal,
): Promise<boolean> {
  if (args.isSet('yes')) return true;
  if (!io.isAttended) throw new UserError('error: confirmation required; pass --yes');
  for (const line of plan) io.error(line);
  const answer = await io.ask('Do you want to continue? (y/N): ', signal);
  return /^y(es)?$/i.test(answer.trim());
}
