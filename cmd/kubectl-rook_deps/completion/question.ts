import { firstWord } from '../canonical-flags.ts';
import type { Command, CommandEntry, FlagSpec, FlagSpecs, Suggestion } from '../command.ts';
import { GLOBAL_FLAGS } from '../global-flags.ts';
import { operandsIn, placeholderOf } from './usage-words.ts';

/** What is asked for when a word is to be completed. */
export type Question =
  | { readonly of: 'flags'; readonly flags: FlagSpecs; readonly given: ReadonlySet<string> }
  | {
      readonly of: 'words';
      readonly suggestion: Suggestion;
      /** One word has to say all: `TYPE/NAME`, never `TYPE NAME`. */
      readonly isFlagValue?: true;
    };

/** A question, and what was typed before it. */
export interface Asked {
  readonly question: Question | undefined;
  /** What is there of the word; of `--flag=value` only the value. */
  readonly typed: string;
  /** The words before it that are neither flags nor values nor the command. */
  readonly words: readonly string[];
  /** The whole command line before it, without the command. */
  readonly argv: readonly string[];
  readonly flags: FlagSpecs;
}

/** Reads a command line whose last word is being typed, by what the commands say about themselves. */
export async function questionIn(line: readonly string[], commands: readonly CommandEntry[]): Promise<Asked> {
  const last = line.at(-1) ?? '';
  const before = line.slice(0, -1);
  const first = firstWord(before, GLOBAL_FLAGS, (word) => commands.some(({ name }) => name === word));
  const command = await commands.find(({ name }) => name === first?.word)?.load();
  const flags = { ...GLOBAL_FLAGS, ...command?.flags };
  const argv = first ? before.toSpliced(first.at, 1) : before;
  const { words, given, pending, isOver } = scan(argv, flags);
  const about = { words, argv: pending ? argv.slice(0, -1) : argv, flags };

  const equals = /^--([^=]+)=(.*)$/s.exec(last);
  const flag = pending ?? (equals && !isOver ? equals[1] : undefined);
  if (flag !== undefined) {
    const typed = pending ? last : (equals?.[2] ?? '');
    return { ...about, typed, question: valueQuestion(flag, flags[flag], command) };
  }
  if (last.startsWith('-') && !isOver)
    return { ...about, typed: last, question: { of: 'flags', flags, given } };
  const suggestion = wordSuggestion(first?.word, command, words.length);
  return { ...about, typed: last, question: suggestion && { of: 'words', suggestion } };
}

function valueQuestion(
  name: string,
  spec: FlagSpec | undefined,
  command: Command | undefined,
): Question | undefined {
  if (!spec) return undefined;
  if (spec.type === 'boolean') return { of: 'words', suggestion: ['true', 'false'] };
  const choices = spec.choices?.map(String);
  const suggestion = spec.suggests ?? choices ?? (command && placeholderOf(name, command.usage));
  return suggestion && { of: 'words', suggestion, isFlagValue: true };
}

function wordSuggestion(
  first: string | undefined,
  command: Command | undefined,
  count: number,
): Suggestion | undefined {
  if (first === undefined || (first === 'help' && count === 0)) return 'commands';
  if (!command) return undefined;
  const { literals, placeholder } = operandsIn(command.usage);
  return literals.length > 0 && count === 0 ? literals : placeholder;
}

interface Scan {
  readonly words: readonly string[];
  /** Names of the flags that are there. */
  readonly given: ReadonlySet<string>;
  /** The flag whose value comes next. */
  readonly pending: string | undefined;
  /** Whether `--` has ended the flags. */
  readonly isOver: boolean;
}

/** Unlike parsing, it takes anything: a line is wrong until it is complete. */
function scan(argv: readonly string[], flags: FlagSpecs): Scan {
  const words: string[] = [];
  const given = new Set<string>();
  let pending: string | undefined;
  for (const [at, token] of argv.entries()) {
    if (pending !== undefined) {
      pending = undefined;
    } else if (token === '--') {
      return { words: [...words, ...argv.slice(at + 1)], given, pending, isOver: true };
    } else if (!token.startsWith('-') || token === '-') {
      words.push(token);
    } else {
      const { name, hasValue } = flagIn(token, flags);
      if (name !== undefined) given.add(name);
      if (name !== undefined && !hasValue && flags[name]?.type !== 'boolean') pending = name;
    }
  }
  return { words, given, pending, isOver: false };
}

/** The last flag of a token: `-An` is waiting for a value, `-njson` has one. */
function flagIn(
  token: string,
  flags: FlagSpecs,
): { readonly name: string | undefined; readonly hasValue: boolean } {
  const long = /^--([^=]+)(=.*)?$/s.exec(token);
  if (long) {
    const name = long[1] ?? '';
    return { name: Object.hasOwn(flags, name) ? name : undefined, hasValue: long[2] !== undefined };
  }
  for (let at = 1; at < token.length; at++) {
    const letter = token.charAt(at);
    const name = Object.keys(flags).find((key) => key === letter || flags[key]?.alias === letter);
    if (name === undefined || flags[name]?.type !== 'boolean' || at === token.length - 1)
      return { name, hasValue: at < token.length - 1 };
  }
  return { name: undefined, hasValue: false };
}
