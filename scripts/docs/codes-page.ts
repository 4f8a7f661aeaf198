import { join } from 'node:path';
import { format } from 'prettier';
import { CODE_PAGES, RULES } from '#pkg/rules';

export const CODES_FILE = join(import.meta.dirname, '../../docs/codes.md');

/** docs/codes.md: every page of `explain`, from the rules themselves. */
export function codesPage(): Promise<string> {
  const sections = CODE_PAGES.map(({ code, title, meaning, remedy }) => {
    const rule = RULES.find((candidate) => candidate.code === code);
    const kinds =
      rule && typeof rule.targets !== 'string' ? rule.targets.map(({ kind }) => kind).join(', ') : 'any';
    const facts = rule
      ? `*${rule.relation}* ${kinds} — ${rule.blocks ? 'blocks' : 'does not block'}.\n\n`
      : '';
    return `## ${code}: ${title}\n\n${facts}${meaning}\n\n${remedy.map((step) => `- ${step}`).join('\n')}`;
  });
  const head = '# Cause codes\n\nWhat `kubectl rook-deps explain` prints. Made by `npm run docs`.';
  return format([head, ...sections].join('\n\n'), { parser: 'markdown', printWidth: 110 });
}
