import { createHash } from 'node:crypto';
import { EXECUTABLE, readMachO, type MachO } from './file.ts';

const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
/** The slot of a blob in the super blob; the code directory holds the hash of slot n as its n-th before the pages. */
const CODE_DIRECTORY_SLOT = 0;
const AD_HOC = 0x2;
const SHA256 = 2;
const ALIGNMENT = 16;

/** What a code directory says. */
export interface Signature {
  readonly identifier: string;
  /** Signed by nobody: whoever has the file can do the same. */
  readonly isAdHoc: boolean;
  readonly pages: number;
}

interface Blob {
  readonly slot: number;
  readonly magic: number;
  readonly bytes: Buffer;
}

/**
 * Checks what macOS checks of a signature that needs no certificate, independently of the tool that made it: that it is
 * where it should be, that it covers the whole file, and that every hash in it is right. Throws at the first fault.
 */
export function verifySignature(file: Buffer): Signature {
  const machO = readMachO(file);
  const { signature } = machO;
  if (!signature) throw new Error('cannot find a signature');
  demand(signature.offset % ALIGNMENT === 0, 'the signature is not aligned');
  demand(signature.offset + signature.size === file.length, 'the signature does not end with the file');
  const blobs = blobsIn(file.subarray(signature.offset));
  const directory = blobs.find(({ slot }) => slot === CODE_DIRECTORY_SLOT);
  if (directory?.magic !== CODE_DIRECTORY) throw new Error('cannot find the code directory');
  verifyLinkEdit(machO, file);
  return verifyDirectory(directory.bytes, file, machO, signature.offset, blobs);
}

function blobsIn(signature: Buffer): readonly Blob[] {
  demand(signature.readUInt32BE(0) === SUPER_BLOB, 'the signature is not a super blob');
  return Array.from({ length: signature.readUInt32BE(8) }, (_, n) => {
    const slot = signature.readUInt32BE(12 + n * 8);
    const at = signature.readUInt32BE(16 + n * 8);
    const size = signature.readUInt32BE(at + 4);
    demand(at + size <= signature.length, `blob ${slot} is cut off`);
    return { slot, magic: signature.readUInt32BE(at), bytes: signature.subarray(at, at + size) };
  });
}

/** The segment that the signature is in must be loaded whole. */
function verifyLinkEdit({ segments }: MachO, file: Buffer): void {
  const last = segments.find(({ name }) => name === '__LINKEDIT');
  demand(last !== undefined && last.offset + last.size === file.length, '__LINKEDIT is cut off');
  demand(last !== undefined && last.memorySize >= last.size, '__LINKEDIT does not fit into memory');
}

function verifyDirectory(
  directory: Buffer,
  file: Buffer,
  machO: MachO,
  codeEnd: number,
  blobs: readonly Blob[],
): Signature {
  const u32 = (at: number): number => directory.readUInt32BE(at);
  const [hashesAt, identifierAt, specialSlots, pages, limit] = [u32(16), u32(20), u32(24), u32(28), u32(32)];
  const hashSize = directory.readUInt8(36);
  demand(directory.readUInt8(37) === SHA256 && hashSize === 32, 'the hashes are not SHA-256');
  demand(limit === codeEnd, `${codeEnd - limit} bytes before the signature are not covered`);
  const pageSize = 2 ** directory.readUInt8(39);
  demand(pages === Math.ceil(limit / pageSize), `${pages} pages of ${pageSize} do not make ${limit} bytes`);
  const hash = (slot: number): Buffer =>
    directory.subarray(hashesAt + slot * hashSize, hashesAt + (slot + 1) * hashSize);
  for (let page = 0; page < pages; page++) {
    const code = file.subarray(page * pageSize, Math.min((page + 1) * pageSize, limit));
    demand(sha256(code).equals(hash(page)), `page ${page} is not the one that was signed`);
  }
  for (const { slot, bytes } of blobs) {
    if (slot === CODE_DIRECTORY_SLOT || slot > specialSlots) continue;
    demand(sha256(bytes).equals(hash(-slot)), `blob ${slot} is not the one that was signed`);
  }
  verifyText(directory, machO);
  const end = directory.indexOf(0, identifierAt);
  return {
    identifier: directory.toString('utf8', identifierAt, end),
    isAdHoc: (u32(12) & AD_HOC) !== 0,
    pages,
  };
}

/** The kernel wants to be told which segment may be run, and that it is the main program's. */
function verifyText(directory: Buffer, { fileType, segments }: MachO): void {
  const text = segments.find(({ name }) => name === '__TEXT');
  const [base, limit, flags] = [64, 72, 80].map((at) => Number(directory.readBigUInt64BE(at)));
  demand(base === text?.offset && limit === text?.size, 'the executable segment is another one');
  demand(fileType !== EXECUTABLE || ((flags ?? 0) & 1) === 1, 'the file is not said to be a main program');
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function demand(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(`cannot trust the signature: ${otherwise}`);
}
