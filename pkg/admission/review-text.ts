import { printable } from '#pkg/render';
import type { Text } from './answer.ts';
import { fittingLines } from './fitting-lines.ts';

/** kubectl prints a message whole, however long, with its escape sequences: the limits are ours to set. */
export function safeText(text: Text, maxBytes: number): string {
  if (typeof text === 'string') return capped(printable(text.toWellFormed()), maxBytes);
  const lines = text.map((line) => capped(printable(line.toWellFormed()), MAX_LINE_BYTES));
  return capped(fittingLines(lines, maxBytes).join('\n'), maxBytes);
}

const ELLIPSIS = '…';
/** One long line must not crowd out the others. */
const MAX_LINE_BYTES = 512;

/** Cuts between characters, never inside one. */
function capped(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const room = maxBytes - Buffer.byteLength(ELLIPSIS);
  const bytes = Buffer.from(text);
  let end = room;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.toString('utf8', 0, end) + ELLIPSIS;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
