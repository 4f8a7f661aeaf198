import yargs from 'yargs';
import { UserError } from '#pkg/object';
import { Args } from './args.ts';
import type { FlagSpecs } from './command.ts';

/** Parses flags as kubectl does, wherever they stand. `command` is how errors name the caller. */
export function parseArgs(argv: readonly string[], flags: FlagSpecs, command: string): Args {
  const normal = normalized(argv, flags);
  checkFlags(normal, flags, command);
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, alias }]) => [
      name,
      { type, ...(alias ? { alias } : {}), ...(type === 'boolean' ? {} : { requiresArg: true }) },
    ]),
  );
  const parsed = yargs(normal)
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'short-option-groups': false,
    })
    .options(options)
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail((message, error) => {
      const flag = /^Not enough arguments following: (.+)$/.exec(message)?.[1];
      throw new UserError(
        flag ? `error: flag needs an argument: ${flag}` : `error: ${message || error.message}`,
      );
    })
    .parseSync() as Record<string, unknown>;
  for (const [name, { choices }] of Object.entries(flags)) {
    const value = parsed[name];
    if (choices && typeof value === 'string' && !choices.includes(value)) {
      throw new UserError(
        `error: invalid argument "${value}" for "--${name}" flag: must be one of ${choices.join(', ')}`,
      );
    }
  }
  return new Args((parsed['_'] as unknown[]).map(String), parsed);
}

/** The first word that is neither a flag nor a flag's value. */
export function firstWord(
  argv: readonly string[],
  flags: FlagSpecs,
): { readonly word: string; readonly at: number } | undefined {
  const normal = argv;
  for (let at = 0; at < normal.length; at++) {
    const token = normal[at] ?? '';
    if (token === '--') return undefined;
    if (!token.startsWith('-') || token === '-') return { word: token, at };
    if (takesNextWord(token, flags)) at++;
  }
  return undefined;
}

/** `-ojson` and `-o=json` to `-o json`: yargs would take the letters for flags of their own. */
function normalized(argv: readonly string[], flags: FlagSpecs): readonly string[] {
  const end = argv.indexOf('--');
  const own = end < 0 ? argv : argv.slice(0, end);
  const letters = own.flatMap((token) => {
    const match = /^-([A-Za-z])(=?)(.+)$/s.exec(token);
    const flag = match?.[1] ? byLetter(match[1], flags) : undefined;
    if (!match?.[3] || !flag) return [token];
    if (flag.type !== 'boolean') return [`-${match[1]}`, match[3]];
    return match[2] ? [token] : [`-${match[1]}`, ...normalized([`-${match[3]}`], flags)];
  });
  return end < 0 ? letters : [...letters, ...argv.slice(end)];
}

function checkFlags(argv: readonly string[], flags: FlagSpecs, command: string): void {
  const hint = `\nSee '${command} --help' for usage.`;
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? '';
    if (token === '--') return;
    if (!token.startsWith('-') || token === '-') continue;
    const name = /^--([^=]*)/.exec(token)?.[1];
    if (name === undefined && !byLetter(token.slice(1, 2), flags)) {
      throw new UserError(`error: unknown shorthand flag: '${token.slice(1, 2)}' in ${token}${hint}`);
    }
    if (name !== undefined && !Object.hasOwn(flags, name))
      throw new UserError(`error: unknown flag: --${name}${hint}`);
    if (!takesNextWord(token, flags)) continue;
    if (at + 1 >= argv.length) throw new UserError(`error: flag needs an argument: ${token}${hint}`);
    at++;
  }
}

function takesNextWord(token: string, flags: FlagSpecs): boolean {
  if (token.includes('=')) return false;
  const flag = token.startsWith('--') ? flags[token.slice(2)] : byLetter(token.slice(1), flags);
  return flag !== undefined && flag.type !== 'boolean';
}

function byLetter(letter: string, flags: FlagSpecs): FlagSpecs[string] | undefined {
  return Object.entries(flags).find(([name, { alias }]) => alias === letter || name === letter)?.[1];
}
