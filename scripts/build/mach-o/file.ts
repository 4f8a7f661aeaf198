/** What a thin 64-bit Mach-O file says about itself, as far as signatures and sections go. */
export interface MachO {
  readonly fileType: number;
  readonly segments: readonly Segment[];
  readonly signature: { readonly offset: number; readonly size: number } | undefined;
}

export interface Segment {
  readonly name: string;
  readonly memorySize: number;
  readonly offset: number;
  readonly size: number;
  readonly sections: readonly Section[];
}

export interface Section {
  readonly name: string;
  readonly address: bigint;
  readonly size: number;
  /** Zero for sections that take no room in the file. */
  readonly offset: number;
}

export const EXECUTABLE = 2;

const MAGIC = 0xfeedfacf;
const HEADER = 32;
const SEGMENT_HEADER = 72;
const SECTION = 80;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;

/** Reads the load commands. */
export function readMachO(file: Buffer): MachO {
  if (file.readUInt32LE(0) !== MAGIC) throw new Error('cannot read a file that is not a 64-bit Mach-O');
  const segments: Segment[] = [];
  let signature: MachO['signature'];
  let at = HEADER;
  for (let command = 0; command < file.readUInt32LE(16); command++) {
    const kind = file.readUInt32LE(at);
    if (kind === LC_SEGMENT_64) segments.push(segmentAt(file, at));
    if (kind === LC_CODE_SIGNATURE)
      signature = { offset: file.readUInt32LE(at + 8), size: file.readUInt32LE(at + 12) };
    at += file.readUInt32LE(at + 4);
  }
  return { fileType: file.readUInt32LE(12), segments, signature };
}

function segmentAt(file: Buffer, at: number): Segment {
  const count = file.readUInt32LE(at + 64);
  return {
    name: nameAt(file, at + 8),
    memorySize: Number(file.readBigUInt64LE(at + 32)),
    offset: Number(file.readBigUInt64LE(at + 40)),
    size: Number(file.readBigUInt64LE(at + 48)),
    sections: Array.from({ length: count }, (_, n) => sectionAt(file, at + SEGMENT_HEADER + n * SECTION)),
  };
}

function sectionAt(file: Buffer, at: number): Section {
  return {
    name: `${nameAt(file, at + 16)},${nameAt(file, at)}`,
    address: file.readBigUInt64LE(at + 32),
    size: Number(file.readBigUInt64LE(at + 40)),
    offset: file.readUInt32LE(at + 48),
  };
}

function nameAt(file: Buffer, at: number): string {
  return file.toString('latin1', at, at + 16).replace(/\0+$/, '');
}
