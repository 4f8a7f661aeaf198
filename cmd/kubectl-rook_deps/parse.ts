import yargs from 'yargs';
import { UserError } from '#pkg/object';
import { Args } from './args.ts';
import { canonical } from './canonical-flags.ts';
import type { FlagSpecs } from './command.ts';

/** Parses flags as kubectl does, wherever they stand. `command` is how errors name the caller. */
export function parseArgs(argv: readonly string[], flags: FlagSpecs, command: string): Args {
  const options = Object.fromEntries(Object.entries(flags).map(([name, { type }]) => [name, { type }]));
  const parsed = yargs([...canonical(argv, flags, command)])
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'short-option-groups': false,
    })
    // Before the options: this makes yargs forget a flag named help.
    .help(false)
    .version(false)
    .options(options)
    .exitProcess(false)
    .fail((message, error) => {
      throw new UserError(`error: ${message || error.message}`);
    })
    .parseSync() as Record<string, unknown>;
  const args = new Args((parsed['_'] as unknown[]).map(String), parsed);
  for (const [name, { choices }] of Object.entries(flags)) {
    const value = args.text(name);
    if (choices && value !== undefined && !choices.includes(value)) {
      throw new UserError(
        `error: invalid argument "${value}" for "--${name}" flag: must be one of ${choices.join(', ')}`,
      );
    }
  }
  return args;
}
