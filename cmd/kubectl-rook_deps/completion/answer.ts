/** A word that may come next, and what it is. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** What the shell is to do besides: the numbers are those of Cobra, which kubectl passes on. */
export const Directive = { plain: 0, noSpace: 2, noFiles: 4, folders: 16 } as const;

export interface Answer {
  readonly candidates: readonly Candidate[];
  readonly directive: number;
}

export const NOTHING: Answer = { candidates: [], directive: Directive.noFiles };

/** A candidate a line, its description after a tab; the directive last. */
export function answerText({ candidates, directive }: Answer): string {
  const lines = candidates.map(({ value, description }) =>
    description ? `${value}\t${oneLine(description)}` : value,
  );
  return [...lines, `:${directive}`].join('\n');
}

/** Only the first sentence: shells show a description beside the word, if at all. */
function oneLine(text: string): string {
  return text.split(/\.\s|[\n\t]/, 1)[0]?.replace(/\.$/, '') ?? '';
}
