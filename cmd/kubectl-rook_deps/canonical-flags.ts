import { UserError } from '#pkg/object';
import type { FlagSpecs } from './command.ts';

/** A flag's name in `flags`, what was typed for it, and its value if it was in the same word. */
interface Found {
  readonly name: string;
  readonly typed: string;
  readonly value?: string;
}

/**
 * Every flag as `--name=value` and checked, for a parser that would guess where kubectl does not: `-ojson`, `-qA`,
 * `-n -x` (whose value is `-x`), `--flag=false`.
 */
export function* canonical(argv: readonly string[], flags: FlagSpecs, command: string): Iterable<string> {
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? '';
    if (token === '--') {
      yield* argv.slice(at);
      return;
    }
    if (!token.startsWith('-') || token === '-') {
      yield token;
      continue;
    }
    for (const found of flagsIn(token, flags, command)) {
      if (flags[found.name]?.type === 'boolean') {
        yield `--${found.name}=${isTrue(found)}`;
        continue;
      }
      const value = found.value ?? flags[found.name]?.bare ?? argv[++at];
      if (value === undefined) throw usageError(`flag needs an argument: ${found.typed}`, command);
      yield `--${found.name}=${value}`;
    }
  }
}

/** The first word that is neither a flag nor a flag's value, read with the flags known before the command is. */
export function firstWord(
  argv: readonly string[],
  flags: FlagSpecs,
  isCommand: (word: string) => boolean,
): { readonly word: string; readonly at: number } | undefined {
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? '';
    if (token === '--') return undefined;
    if (!token.startsWith('-') || token === '-') return { word: token, at };
    const name = /^--([^=]+)$/.exec(token)?.[1] ?? nameOfLetter(/^-(.)$/.exec(token)?.[1], flags);
    if (name !== undefined && Object.hasOwn(flags, name)) {
      if (flags[name]?.type !== 'boolean' && flags[name]?.bare === undefined) at++;
    } else if (/^(-.|--[^=]+)$/.test(token) && !isCommand(argv[at + 1] ?? '')) {
      // A flag of some command: most take a value.
      at++;
    }
  }
  return undefined;
}

function flagsIn(token: string, flags: FlagSpecs, command: string): Iterable<Found> {
  return token.startsWith('--') ? [longFlag(token, flags, command)] : letterFlags(token, flags, command);
}

function longFlag(token: string, flags: FlagSpecs, command: string): Found {
  const equals = token.indexOf('=');
  const name = equals < 0 ? token.slice(2) : token.slice(2, equals);
  if (!Object.hasOwn(flags, name)) throw usageError(`unknown flag: --${name}`, command);
  return { name, typed: `--${name}`, ...(equals < 0 ? {} : { value: token.slice(equals + 1) }) };
}

/** `-qA` are two flags, `-ojson` and `-o=json` are one with a value. */
function* letterFlags(token: string, flags: FlagSpecs, command: string): Iterable<Found> {
  for (let at = 1; at < token.length; at++) {
    const letter = token.charAt(at);
    const rest = token.slice(at + 1);
    const name = nameOfLetter(letter, flags);
    if (name === undefined) throw usageError(`unknown shorthand flag: '${letter}' in ${token}`, command);
    const found = { name, typed: `'${letter}' in ${token}` };
    if (rest.startsWith('=')) {
      yield { ...found, value: rest.slice(1) };
      return;
    }
    if (flags[name]?.type !== 'boolean') {
      yield rest ? { ...found, value: rest } : found;
      return;
    }
    yield found;
  }
}

function nameOfLetter(letter: string | undefined, flags: FlagSpecs): string | undefined {
  return Object.keys(flags).find(
    (name) => letter !== undefined && [name, flags[name]?.alias].includes(letter),
  );
}

/** The spellings that Go takes for a truth value. */
function isTrue({ name, value = 'true' }: Found): boolean {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return false;
  throw new UserError(
    `error: invalid argument "${value}" for "--${name}" flag: strconv.ParseBool: parsing "${value}": invalid syntax`,
  );
}

function usageError(problem: string, command: string): UserError {
  return new UserError(`error: ${problem}\nSee '${command} --help' for usage.`);
}
