import type { CodePage } from '#pkg/rules';
import { table } from './table.ts';

const WIDTH = 100;

/** What a code means and how to resolve it. */
export function renderCodePage({ code, title, meaning, remedy }: CodePage): string {
  const steps = remedy.flatMap((step) =>
    wrapped(step, WIDTH - 4).map((line, at) => (at === 0 ? `  - ${line}` : `    ${line}`)),
  );
  return [`${code}  ${title}`, '', ...wrapped(meaning, WIDTH), '', 'What to do:', ...steps].join('\n');
}

/** All codes, a line each. */
export function renderCodeList(pages: readonly CodePage[]): string {
  return table([['CODE', 'MEANING'], ...pages.map(({ code, title }) => [code, title])]).join('\n');
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}
