/** Places in the optional header of a 64-bit PE file. */
const CHECKSUM = 64;
const CERTIFICATES = 112 + 4 * 8;

/** A Windows executable without its Authenticode signature; any other file as it is. */
export function withoutSignature(file: Buffer): Buffer {
  if (file.toString('latin1', 0, 2) !== 'MZ') return file;
  const header = file.readUInt32LE(0x3c);
  if (file.toString('latin1', header, header + 4) !== 'PE\0\0') throw new Error('cannot read the PE header');
  const optional = header + 24;
  const entry = optional + CERTIFICATES;
  const [offset, size] = [file.readUInt32LE(entry), file.readUInt32LE(entry + 4)];
  if (size === 0) return file;
  if (offset + size !== file.length) throw new Error('cannot remove a signature that is not at the end');
  const unsigned = Buffer.from(file.subarray(0, offset));
  unsigned.fill(0, entry, entry + 8);
  unsigned.fill(0, optional + CHECKSUM, optional + CHECKSUM + 4);
  return unsigned;
}

/** Where the signature of a Windows executable is said to be; all zero when there is none. */
export function signatureEntry(file: Buffer): readonly [offset: number, size: number] {
  const entry = file.readUInt32LE(0x3c) + 24 + CERTIFICATES;
  return [file.readUInt32LE(entry), file.readUInt32LE(entry + 4)];
}
