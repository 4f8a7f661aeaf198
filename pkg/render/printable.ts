/**
 * Makes text from a cluster safe for a terminal: whoever may write a name or a message must not be able to write
 * to the screen. ESC becomes `^[`, other control characters and direction marks become escapes.
 */
export function printable(text: string): string {
  return text.replace(UNSEEN, escaped);
}

const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function escaped(character: string): string {
  switch (character) {
    case '\u001b':
      return '^[';
    case '\r':
      return '\\r';
    case '\n':
      return '\\n';
    case '\t':
      return ' ';
    default:
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }
}
