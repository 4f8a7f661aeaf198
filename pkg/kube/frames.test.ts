import { expect, test } from 'vitest';
import { controlFrame, MessageReader, Opcode } from './frames.ts';

/** A frame as a server sends it. */
function frame(opcode: number, data: Buffer, isLast = true): Buffer {
  const first = (isLast ? 0x80 : 0) | opcode;
  if (data.length < 126) return Buffer.concat([Buffer.from([first, data.length]), data]);
  const head = Buffer.alloc(data.length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = data.length < 65_536 ? 126 : 127;
  if (data.length < 65_536) head.writeUInt16BE(data.length, 2);
  else head.writeBigUInt64BE(BigInt(data.length), 2);
  return Buffer.concat([head, data]);
}

test.for([0, 1, 125, 126, 65_535, 65_536, 200_000])('a message of %i bytes is read whole', (size) => {
  const data = Buffer.alloc(size, 7);
  const messages = [...new MessageReader().push(frame(Opcode.binary, data))];
  expect(messages).toHaveLength(1);
  expect(messages[0]?.data.equals(data)).toBe(true);
});

test('messages that come byte by byte are read as those that come at once', () => {
  const bytes = Buffer.concat([
    frame(Opcode.text, Buffer.from('ab')),
    frame(Opcode.binary, Buffer.from('c')),
  ]);
  const reader = new MessageReader();
  const messages = [...bytes].flatMap((byte) => [...reader.push(Buffer.from([byte]))]);
  expect(messages.map(({ opcode, data }) => [opcode, data.toString()])).toEqual([
    [Opcode.text, 'ab'],
    [Opcode.binary, 'c'],
  ]);
});

test('a message in parts is put together, and a ping between them comes through', () => {
  const bytes = Buffer.concat([
    frame(Opcode.binary, Buffer.from('one '), false),
    frame(Opcode.ping, Buffer.from('?')),
    frame(Opcode.continuation, Buffer.from('two')),
  ]);
  expect([...new MessageReader().push(bytes)].map(({ opcode, data }) => [opcode, data.toString()])).toEqual([
    [Opcode.ping, '?'],
    [Opcode.binary, 'one two'],
  ]);
});

test('a control frame is masked, as clients must', () => {
  const bytes = controlFrame(Opcode.pong, Buffer.from('hi'));
  expect(bytes[0]).toBe(0x8a);
  expect(bytes[1]).toBe(0x82);
  const mask = bytes.subarray(2, 6);
  expect(Buffer.from(bytes.subarray(6).map((byte, index) => byte ^ (mask[index] ?? 0))).toString()).toBe(
    'hi',
  );
});
