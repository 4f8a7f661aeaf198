import { KNOWN_TYPES, type ResourceType } from '#pkg/object';
import type { CommandEntry, FlagSpecs, Suggestion } from '../command.ts';
import type { Io } from '../io.ts';
import { answerText, Directive, NOTHING, type Answer, type Candidate } from './answer.ts';
import { questionIn, type Asked } from './question.ts';

/** Nobody waits longer than two seconds for a completion; starting up is part of that. */
const LIMIT_MS = 1_200;

/**
 * Prints what the last word of a command line may become. Whatever goes wrong, the person at the keyboard is not
 * bothered: then there is nothing to offer.
 */
export async function complete(
  line: readonly string[],
  commands: readonly CommandEntry[],
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const silent = { ...io, error: () => undefined, isAttended: false };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const answer = await Promise.race([answerTo(line, commands, silent, limit), aborted(limit)]).catch(
    () => NOTHING,
  );
  io.print(answerText(answer));
  return 0;
}

function aborted(signal: AbortSignal): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  signal.addEventListener('abort', () => resolve(NOTHING), { once: true });
  return promise;
}

async function answerTo(
  line: readonly string[],
  commands: readonly CommandEntry[],
  io: Io,
  signal: AbortSignal,
): Promise<Answer> {
  const asked = await questionIn(line, commands);
  const { question, typed } = asked;
  if (!question) return NOTHING;
  if (question.of === 'flags') return offered(flagsOf(question.flags, question.given), typed);
  const { suggestion } = question;
  if (suggestion === 'files') return { candidates: [], directive: Directive.plain };
  if (suggestion === 'folders') return { candidates: [], directive: Directive.folders };
  if (suggestion === 'resources') return resources(asked, question.isFlagValue === true, io, signal);
  return offered(await candidatesOf(suggestion, commands, asked, io, signal), typed);
}

function offered(
  candidates: readonly Candidate[],
  typed: string,
  directive: number = Directive.noFiles,
): Answer {
  return { candidates: candidates.filter(({ value }) => value.startsWith(typed)), directive };
}

function flagsOf(flags: FlagSpecs, given: ReadonlySet<string>): readonly Candidate[] {
  return Object.entries(flags)
    .filter(([name, { type }]) => type === 'array' || !given.has(name))
    .flatMap(([name, { alias, describe }]) => {
      const letter = name.length === 1 ? name : alias;
      return [
        ...(name.length > 1 ? [{ value: `--${name}`, description: describe }] : []),
        ...(typeof letter === 'string' ? [{ value: `-${letter}`, description: describe }] : []),
      ];
    })
    .sort((a, b) => (a.value < b.value ? -1 : 1));
}

async function candidatesOf(
  suggestion: Exclude<Suggestion, 'files' | 'folders' | 'resources'>,
  commands: readonly CommandEntry[],
  asked: Asked,
  io: Io,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  if (typeof suggestion === 'object') return suggestion.map((value) => ({ value }));
  switch (suggestion) {
    case 'codes':
      return (await import('#pkg/rules')).CODE_PAGES.map(({ code, title }) => ({
        value: code,
        description: title,
      }));
    case 'commands':
      return commandsOf(commands);
    case 'types':
      return typesOf(asked.typed, '');
    default:
      return (await import('./lookup.ts')).lookUp(suggestion, asked, io, signal);
  }
}

function commandsOf(commands: readonly CommandEntry[]): readonly Candidate[] {
  return [
    ...commands.filter(({ isHidden }) => !isHidden),
    { name: 'help', summary: 'What a command does, and how it is called' },
    { name: 'options', summary: 'The flags that every command takes' },
  ].map(({ name, summary }) => ({ value: name, description: summary }));
}

/** `TYPE`, then `NAME…`; or `TYPE/NAME…`. As in kubectl, one line has one form. */
async function resources(asked: Asked, isOneWord: boolean, io: Io, signal: AbortSignal): Promise<Answer> {
  const { typed, words } = asked;
  const [first, ...names] = words;
  const slash = typed.indexOf('/');
  if (slash >= 0) {
    const type = typed.slice(0, slash);
    const found = await namesOf(type, asked, io, signal);
    return offered(
      found.map(({ value, ...rest }) => ({ value: `${type}/${value}`, ...rest })),
      typed,
    );
  }
  if (isOneWord || first?.includes('/'))
    return offered(typesOf(typed, '/'), typed, Directive.noFiles | Directive.noSpace);
  if (first === undefined) return offered(typesOf(typed, ''), typed);
  const others = (await namesOf(first, asked, io, signal)).filter(({ value }) => !names.includes(value));
  return offered(others, typed);
}

async function namesOf(
  type: string,
  asked: Asked,
  io: Io,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  return (await import('./lookup.ts')).namesOf(type, asked, io, signal);
}

/** The kinds known here, without asking any server; in the plural only where that is what is being typed. */
function typesOf(typed: string, suffix: string): readonly Candidate[] {
  return KNOWN_TYPES.map((type) => ({
    value: `${spelled(type, typed)}${suffix}`,
    description: type.group ? `${type.kind} (${type.group})` : type.kind,
  })).sort((a, b) => (a.value < b.value ? -1 : 1));
}

function spelled({ singular, plural }: ResourceType, typed: string): string {
  return !singular.startsWith(typed) && plural.startsWith(typed) ? plural : singular;
}
