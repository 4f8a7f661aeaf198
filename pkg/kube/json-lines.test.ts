import { describe, expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { jsonLines } from './json-lines.ts';

async function* inPieces(text: string, size: number): AsyncIterable<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

describe('jsonLines', () => {
  test.for([1, 2, 3, 7, 1000])('pieces of %i bytes give the same values', async (size) => {
    const text = '{"a":"ä€𝄞"}\n\n{"b":2}\n{"c":3}';
    await expect(Array.fromAsync(jsonLines(inPieces(text, size)))).resolves.toEqual([
      { a: 'ä€𝄞' },
      { b: 2 },
      { c: 3 },
    ]);
  });

  test('a value comes before the next line has begun', async () => {
    let asked = 0;
    async function* pieces(): AsyncIterable<Buffer> {
      asked += 1;
      yield Buffer.from('{"a":1}\n');
      asked += 1;
      yield Buffer.from('{"a":2}\n');
    }
    for await (const value of jsonLines(pieces())) {
      expect(value).toEqual({ a: 1 });
      break;
    }
    expect(asked).toBe(1);
  });

  test('half a value is an error', async () => {
    await expect(Array.fromAsync(jsonLines(inPieces('{"a":1}\n{"a":', 4)))).rejects.toBeInstanceOf(ApiError);
  });
});
