const ELLIPSIS = '…';
/** How a line of a list begins, and how a list ends of which not all is shown. */
const ITEM = '- ';
const MORE = /^- \+(\d+) more$/;

/** Lines that belong together: a list, of which some may be left out, or a line that says something else. */
type Block = { readonly line: string } | { readonly items: readonly string[]; readonly left: number };
type List = Extract<Block, { readonly left: number }>;

/**
 * As many lines as there is room for. What is listed is shortened first, and still counted: the headings say what is the
 * matter, and what stands below a list how to get out of it. If that is too much, lines before the last are left out.
 */
export function fittingLines(lines: readonly string[], maxBytes: number): readonly string[] {
  const fits = (some: readonly string[]): boolean => Buffer.byteLength(some.join('\n')) <= maxBytes;
  if (fits(lines)) return lines;
  let blocks = blocksOf(lines);
  for (;;) {
    const shown = blocks.flatMap(linesOf);
    if (fits(shown)) return shown;
    const longest = longestOf(blocks);
    if (!longest) return headAndEnd(shown, fits);
    blocks = blocks.map((block) => (block === longest ? shortened(longest) : block));
  }
}

function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const list = blocks.at(-1);
    if (!line.startsWith(ITEM)) blocks.push({ line });
    else if (list && isList(list)) blocks[blocks.length - 1] = joined(list, line);
    else blocks.push(joined({ items: [], left: 0 }, line));
  }
  return blocks;
}

function joined({ items, left }: List, line: string): List {
  const more = MORE.exec(line)?.[1];
  return more === undefined ? { items: [...items, line], left } : { items, left: left + Number(more) };
}

function isList(block: Block): block is List {
  return 'items' in block;
}

function linesOf(block: Block): readonly string[] {
  if (!isList(block)) return [block.line];
  return block.left > 0 ? [...block.items, `${ITEM}+${block.left} more`] : block.items;
}

function longestOf(blocks: readonly Block[]): List | undefined {
  const lists = blocks.filter(isList).filter(({ items }) => items.length > 0);
  return lists.toSorted((a, b) => b.items.length - a.items.length)[0];
}

function shortened({ items, left }: List): List {
  return { items: items.slice(0, -1), left: left + 1 };
}

/** The last line says what to do next. */
function headAndEnd(lines: readonly string[], fits: (some: readonly string[]) => boolean): readonly string[] {
  const last = lines.slice(-1);
  const first = lines.slice(0, -1);
  while (first.length > 0 && !fits([...first, ELLIPSIS, ...last])) first.pop();
  return [...first, ELLIPSIS, ...last];
}
