import { expect, test } from 'vitest';
import { fakeIo } from '#test/fakes/io.ts';
import { Args } from './args.ts';
import { confirm, confirmByName } from './confirm.ts';

const signal = new AbortController().signal;
const none = new Args([], {});

test('where nobody can answer, --yes must have been given', async () => {
  await expect(confirm([], none, fakeIo({ stdin: 'y' }), signal)).rejects.toThrow(
    'error: confirmation required; pass --yes',
  );
  expect(await confirm([], new Args([], { yes: true }), fakeIo(), signal)).toBe(true);
});

test.for([
  { answer: 'y', isYes: true },
  { answer: ' Yes\n', isYes: true },
  { answer: '', isYes: false },
  { answer: 'n', isYes: false },
  { answer: 'yy', isYes: false },
])('"$answer" counts as a yes: $isYes', async ({ answer, isYes }) => {
  const io = fakeIo({ stdin: answer, isAttended: true });
  expect(await confirm(['what is done'], none, io, signal)).toBe(isYes);
  expect(io.err()).toBe('what is done\n');
});

test.for([
  { names: ['ceph'], answer: 'ceph\n', isYes: true },
  { names: ['ceph'], answer: 'y', isYes: false },
  { names: ['a', 'b'], answer: 'a b', isYes: true },
  { names: ['a', 'b'], answer: 'a', isYes: false },
])('"$answer" for the names $names counts: $isYes', async ({ names, answer, isYes }) => {
  const io = fakeIo({ stdin: answer, isAttended: true });
  expect(await confirmByName(names, none, io, signal)).toBe(isYes);
});

test('a name that nobody can type needs --yes', async () => {
  await expect(confirmByName(['a'], none, fakeIo(), signal)).rejects.toThrow('pass --yes');
  expect(await confirmByName(['a'], new Args([], { yes: true }), fakeIo(), signal)).toBe(true);
});
