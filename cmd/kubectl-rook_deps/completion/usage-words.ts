import type { Suggestion } from '../command.ts';

/** What the words in capitals of a usage line stand for. */
const PLACEHOLDERS: Readonly<Record<string, Suggestion>> = {
  CODE: 'codes',
  FILE: 'files',
  FOLDER: 'folders',
  NAMESPACE: 'namespaces',
  NODE: 'nodes',
  RESOURCE: 'types',
  TYPE: 'resources',
};

/** What a command takes besides flags. */
export interface Operands {
  /** Words of which one comes first. */
  readonly literals: readonly string[];
  readonly placeholder: Suggestion | undefined;
}

/** `maintenance (plan | start) NODE` takes one of two words, then nodes. Of several lines the first is what is usual. */
export function operandsIn(usage: string): Operands {
  const [line = ''] = usage.split('\n');
  const [, ...words] = line
    .replaceAll(/\[-[^\]]*\]|\[flags\]|\[options\]/g, ' ')
    .split(/[^\w-]+/)
    .filter((word) => word !== '');
  return {
    literals: words.filter((word) => /^[a-z][a-z-]*$/.test(word)),
    placeholder: words.map((word) => PLACEHOLDERS[word]).find((suggestion) => suggestion !== undefined),
  };
}

/** What the value of a flag is: `[--by TYPE/NAME]` says so. */
export function placeholderOf(flag: string, usage: string): Suggestion | undefined {
  const word = new RegExp(`--${flag}[ =]([A-Z]+)`).exec(usage)?.[1];
  return word === undefined ? undefined : PLACEHOLDERS[word];
}
