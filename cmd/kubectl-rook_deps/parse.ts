import { Parser } from 'yargs/helpers';
import { UserError } from '#pkg/object';
import { Args } from './args.ts';
import { canonical } from './canonical-flags.ts';
import type { FlagSpec, FlagSpecs } from './command.ts';

/**
 * Parses flags as kubectl does, wherever they stand. `command` is how errors name the caller. Only the parser of yargs is
 * used: all of it would take a quarter of the start-up time, and commands, help and errors follow kubectl.
 */
export function parseArgs(argv: readonly string[], flags: FlagSpecs, command: string): Args {
  const { argv: parsed, error } = Parser.detailed([...canonical(argv, flags, command)], {
    string: namesOf(flags, 'string'),
    boolean: namesOf(flags, 'boolean'),
    array: namesOf(flags, 'array').map((key) => ({ key, string: true })),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'short-option-groups': false,
    },
  });
  if (error) throw new UserError(`error: ${error.message}`);
  const args = new Args(parsed._.map(String), parsed);
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

function namesOf(flags: FlagSpecs, type: FlagSpec['type']): string[] {
  return Object.keys(flags).filter((name) => flags[name]?.type === type);
}
