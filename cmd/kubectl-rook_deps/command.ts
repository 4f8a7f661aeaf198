import type { Options } from 'yargs';
import type { Args } from './args.ts';
import type { Io } from './io.ts';

/** What completion offers for a word: these very words, or what is there of a kind of things. */
export type Suggestion =
  | readonly string[]
  | 'clusters'
  | 'codes'
  | 'commands'
  | 'contexts'
  | 'files'
  | 'folders'
  | 'namespaces'
  | 'nodes'
  | 'resources'
  | 'types'
  | 'users';

/** A flag as yargs takes it, and as help shows it. */
export type FlagSpec = Options & {
  readonly describe: string;
  readonly type: 'string' | 'boolean' | 'array';
  /** What the flag means without a value, which must then be in the same word: `--flag=value`. */
  readonly bare?: string;
  /** What it is when it is not given, if that is not empty: for people. */
  readonly unset?: string;
  /** Without it, completion goes by `choices`, or by what the usage of the command says: `--by TYPE/NAME`. */
  readonly suggests?: Suggestion;
};

export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

export interface Example {
  readonly what: string;
  readonly line: string;
}

/** One verb: what help says about it, and what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Completion reads it, too: words in small letters are offered first, then what TYPE, NODE, CODE and so on stand for. */
  readonly usage: string;
  readonly examples: readonly Example[];
  readonly flags: FlagSpecs;
  /** Returns the exit code. */
  run(args: Args, io: Io, signal: AbortSignal): Promise<number>;
}

/** A verb before it is loaded: start-up pays only for the one that runs. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Not for people: help does not list it. */
  readonly isHidden?: true;
  load(): Promise<Command>;
}
