import { randomBytes } from 'node:crypto';

/** WebSocket frames (RFC 6455): what a client reads and writes. */

export const Opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Message {
  readonly opcode: number;
  readonly data: Buffer;
}

const MASK_BYTES = 4;
const SHORT = 125;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

/** Puts messages together from the pieces that a connection brings. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #opcode: number = Opcode.binary;

  /** The messages that are complete with this piece. */
  *push(piece: Buffer): Iterable<Message> {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (let frame = readFrame(this.#rest); frame; frame = readFrame(this.#rest)) {
      this.#rest = this.#rest.subarray(frame.length);
      const message = this.#add(frame);
      if (message) yield message;
    }
  }

  #add({ opcode, isLast, data }: Frame): Message | undefined {
    // Control frames may come between the parts of a message.
    if (opcode >= Opcode.close) return { opcode, data };
    if (opcode !== Opcode.continuation) this.#opcode = opcode;
    this.#parts.push(data);
    if (!isLast) return undefined;
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    return { opcode: this.#opcode, data: whole };
  }
}

interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly data: Buffer;
  /** Of the whole frame, head included. */
  readonly length: number;
}

function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const headBytes = short === TWO_BYTES ? 4 : short === EIGHT_BYTES ? 10 : 2;
  if (bytes.length < headBytes) return undefined;
  const size =
    short === TWO_BYTES
      ? bytes.readUInt16BE(2)
      : short === EIGHT_BYTES
        ? Number(bytes.readBigUInt64BE(2))
        : short;
  const length = headBytes + size;
  if (bytes.length < length) return undefined;
  return {
    opcode: first & 0x0f,
    isLast: (first & 0x80) !== 0,
    data: bytes.subarray(headBytes, length),
    length,
  };
}

/** A short frame as clients must send it: masked. */
export function controlFrame(opcode: number, data: Buffer): Buffer {
  if (data.length > SHORT) throw new RangeError('a control frame holds at most 125 bytes');
  const mask = randomBytes(MASK_BYTES);
  const masked = Buffer.from(data.map((byte, index) => byte ^ (mask[index % MASK_BYTES] ?? 0)));
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | data.length]), mask, masked]);
}
