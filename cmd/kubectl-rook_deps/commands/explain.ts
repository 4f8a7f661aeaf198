import { UserError } from '#pkg/object';
import { renderCodeList, renderCodePage } from '#pkg/render';
import { CODE_PAGES } from '#pkg/rules';
import type { Command } from '../command.ts';

export const explain: Command = {
  name: 'explain',
  summary: 'What a cause code means and how to resolve it',
  description: 'Says what a code of `why` means and what to do about it. Without a code, lists them all.',
  usage: 'explain [CODE...]',
  examples: [
    { what: 'What does RD013 mean?', line: 'kubectl rook-deps explain RD013' },
    { what: 'Which codes are there?', line: 'kubectl rook-deps explain' },
  ],
  flags: {},
  run(args, io) {
    const pages = args.words.map((word) => {
      const page = CODE_PAGES.find(({ code }) => code === word.toUpperCase());
      if (!page)
        throw new UserError(`error: there is no code "${word}"; 'kubectl rook-deps explain' lists them all`);
      return renderCodePage(page);
    });
    io.print(pages.length > 0 ? pages.join('\n\n') : renderCodeList(CODE_PAGES));
    return Promise.resolve(0);
  },
};
