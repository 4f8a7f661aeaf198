import { stripVTControlCharacters } from 'node:util';

const ASCII = /^[\x20-\x7e]*$/;
const EMOJI_STYLE = '\ufe0f';

/** First and last code point of what a terminal draws two columns wide, in ascending order. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f], // Hangul initial consonants
  [0x2e80, 0x303e], // CJK radicals and punctuation
  [0x3041, 0xa4cf], // kana, CJK, Yi
  [0xac00, 0xd7a3], // Hangul syllables
  [0xf900, 0xfaff], // CJK compatibility
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60], // full-width forms
  [0xffe0, 0xffe6],
  [0x1f1e6, 0x1f1ff], // flags
  [0x1f300, 0x1f64f], // pictographs
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd], // CJK extensions
];

let segmenter: Intl.Segmenter | undefined;

/**
 * The columns a text takes. Stands in for the `string-width` package, whose emoji expressions take a third of the
 * start-up time to compile.
 */
function stringWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  segmenter ??= new Intl.Segmenter();
  let width = 0;
  for (const { segment } of segmenter.segment(stripVTControlCharacters(text))) width += segmentWidth(segment);
  return width;
}

function segmentWidth(segment: string): number {
  const code = segment.codePointAt(0) ?? 0;
  if (isInvisible(code)) return 0;
  return segment.includes(EMOJI_STYLE) || isWide(code) ? 2 : 1;
}

function isInvisible(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code < 0xa0) ||
    (code >= 0x300 && code <= 0x36f) || // accents without a letter
    (code >= 0x200b && code <= 0x200f) || // zero-width spaces, joiners, direction marks
    code === 0xfeff
  );
}

function isWide(code: number): boolean {
  return WIDE.some(([first, last]) => code >= first && code <= last);
}

// A default, because that is how the package it replaces is imported.
export { stringWidth as default };
