const ELLIPSIS = '…';

/** The longest beginning that fits, never half a character; what is cut ends in an ellipsis. */
export function cutToBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes - Buffer.byteLength(ELLIPSIS);
  // A byte 10xxxxxx goes on with a character that began before.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString('utf8') + ELLIPSIS;
}
