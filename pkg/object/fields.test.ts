import { describe, expect, test } from 'vitest';
import { UserError } from './errors.ts';
import { fieldAt, isRecord, isTrueAt, listAt, numberAt, recordAt, textAt } from './fields.ts';

const value: unknown = JSON.parse(
  '{"a": {"b": "text", "list": [1], "n": 0, "yes": true, "no": false, "empty": "", "null": null}, "__proto__": {"own": "x"}}',
);

describe('fieldAt', () => {
  test('follows a path', () => {
    expect(fieldAt(value, 'a', 'b')).toBe('text');
    expect(fieldAt(value)).toBe(value);
    expect(fieldAt(value, 'a', 'null')).toBeNull();
  });

  test.for([
    { path: ['x'] },
    { path: ['a', 'x'] },
    { path: ['a', 'b', 'length'] },
    { path: ['a', 'list', 'length'] },
    { path: ['a', 'list', '0'] },
    { path: ['a', 'null', 'x'] },
    { path: ['a', 'toString'] },
    { path: ['constructor', 'name'] },
  ])('finds nothing at $path', ({ path }) => {
    expect(fieldAt(value, ...path)).toBeUndefined();
  });

  test('reads __proto__ as a field like any other', () => {
    expect(fieldAt(value, '__proto__', 'own')).toBe('x');
    expect(fieldAt({}, '__proto__')).toBeUndefined();
  });

  test.for([undefined, null, 7, 'text', []])('finds nothing in %j', (other) => {
    expect(fieldAt(other, 'a')).toBeUndefined();
  });
});

describe('a field of the wrong type', () => {
  test('is no text', () => {
    expect(textAt(value, 'a', 'b')).toBe('text');
    for (const field of ['empty', 'n', 'list', 'null', 'x'])
      expect(textAt(value, 'a', field)).toBeUndefined();
  });

  test('is an empty list', () => {
    expect(listAt(value, 'a', 'list')).toEqual([1]);
    for (const field of ['b', 'n', 'null', 'x']) expect(listAt(value, 'a', field)).toEqual([]);
  });

  test('is an empty record', () => {
    expect(recordAt(value, 'a')).toHaveProperty('b');
    for (const field of ['b', 'list', 'null', 'x']) expect(recordAt(value, 'a', field)).toEqual({});
  });

  test('is no number', () => {
    expect(numberAt(value, 'a', 'n')).toBe(0);
    for (const field of ['b', 'list', 'null', 'x']) expect(numberAt(value, 'a', field)).toBeUndefined();
  });

  test('is not true', () => {
    expect(isTrueAt(value, 'a', 'yes')).toBe(true);
    for (const field of ['b', 'n', 'no', 'list', 'x']) expect(isTrueAt(value, 'a', field)).toBe(false);
  });

  test('is no record', () => {
    expect(isRecord({})).toBe(true);
    for (const other of [null, undefined, [], 'text', 7]) expect(isRecord(other)).toBe(false);
  });
});

test('a UserError ends the program with 1 unless it says otherwise', () => {
  const cause = new Error('deeper');
  expect(new UserError('wrong', { cause })).toMatchObject({ name: 'UserError', exitCode: 1, cause });
  expect(new UserError('wrong', { exitCode: 3 }).exitCode).toBe(3);
});
