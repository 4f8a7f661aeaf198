import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCensus, type CensusItem } from './census-decoder.ts';

function field(number: number, value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push(left < 128 ? left : (left % 128) + 128);
    if (left < 128) return Buffer.from(bytes);
  }
}

const number = (at: number, value: number): Buffer => Buffer.concat([varint(at * 8), varint(value)]);

function objectOf({ name, namespace, uid, resourceVersion }: CensusItem, rest: Buffer): Buffer {
  const parts = [field(1, name), field(2, ''), field(3, namespace), field(5, uid), field(6, resourceVersion)];
  return field(2, field(1, Buffer.concat([...parts, number(7, 300), rest])));
}

function listOf(items: readonly CensusItem[], rest: Buffer = Buffer.alloc(0)): Buffer {
  const raw = Buffer.concat([field(1, field(2, '42')), ...items.map((item) => objectOf(item, rest))]);
  return Buffer.concat([field(1, field(1, 'meta.k8s.io/v1')), field(2, raw), field(3, '')]);
}

const item = fc.record({
  name: fc.string({ minLength: 1, unit: 'grapheme', maxLength: 300 }),
  namespace: fc.string(),
  uid: fc.uuid(),
  resourceVersion: fc.nat().map(String),
});

describe('a census in protobuf', () => {
  test('is read whatever stands behind the versions', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), fc.uint8Array({ maxLength: 400 }), (items, rest) => {
        const behind = field(17, Buffer.from(rest));
        expect(decodeCensus(listOf(items, behind))).toEqual({ items, resourceVersion: '42' });
      }),
    );
  });

  test.for([
    {
      name: 'cut short',
      bytes: listOf([{ name: 'a', namespace: '', uid: 'u', resourceVersion: '1' }]).subarray(0, 40),
    },
    { name: 'without a version', bytes: field(2, field(1, '')) },
    {
      name: 'of objects without a UID',
      bytes: listOf([{ name: 'a', namespace: '', uid: '', resourceVersion: '1' }]),
    },
    { name: 'that is none', bytes: Buffer.from('{"kind":"Status"}') },
  ])('$name is an error, and not a shorter one', ({ bytes }) => {
    expect(() => decodeCensus(bytes)).toThrow();
  });
});
