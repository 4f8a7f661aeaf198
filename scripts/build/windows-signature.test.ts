import { expect, test } from 'vitest';
import { signatureEntry, withoutSignature } from './windows-signature.ts';

const HEADER = 0x80;
const CERTIFICATES = HEADER + 24 + 112 + 4 * 8;

function aProgram(signature: { offset: number; size: number }, length = 0x400): Buffer {
  const file = Buffer.alloc(length, 7);
  file.write('MZ', 0, 'latin1');
  file.writeUInt32LE(HEADER, 0x3c);
  file.write('PE\0\0', HEADER, 'latin1');
  file.writeUInt32LE(signature.offset, CERTIFICATES);
  file.writeUInt32LE(signature.size, CERTIFICATES + 4);
  return file;
}

test('a signature at the end is cut off, and its entry is cleared', () => {
  const unsigned = withoutSignature(aProgram({ offset: 0x300, size: 0x100 }));
  expect(unsigned).toHaveLength(0x300);
  expect(signatureEntry(unsigned)).toEqual([0, 0]);
});

test('what is not signed, or not for Windows, stays as it is', () => {
  const unsigned = aProgram({ offset: 0, size: 0 });
  expect(withoutSignature(unsigned)).toBe(unsigned);
  const other = Buffer.from('\x7fELF');
  expect(withoutSignature(other)).toBe(other);
});

test('a signature in the middle is not touched', () => {
  expect(() => withoutSignature(aProgram({ offset: 0x200, size: 0x100 }))).toThrow('not at the end');
});
