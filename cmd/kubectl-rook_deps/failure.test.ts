import { expect, test } from 'vitest';
import { UserError } from '#pkg/object';
import { fakeIo } from '#test/fakes/io.ts';
import { reportFailure } from './failure.ts';

test('what the user can act on is printed as it is, with its exit code', () => {
  const io = fakeIo();
  expect(reportFailure(new UserError('error: no\nDid you mean this?\n\twhy', { exitCode: 4 }), io)).toBe(4);
  expect([io.out(), io.err()]).toEqual(['', 'error: no\nDid you mean this?\n\twhy\n']);
});

test('what it quotes cannot write to the screen', () => {
  const io = fakeIo();
  reportFailure(new UserError('error: the path "\u001b[2J\r" does not exist'), io);
  expect(io.err()).toBe('error: the path "^[[2J\\r" does not exist\n');
});

test('a fault of our own is one line, without a stack', () => {
  const io = fakeIo();
  expect(reportFailure(new TypeError('x is undefined'), io)).toBe(1);
  expect(io.err()).toBe('error: internal error: x is undefined\n');
  expect(reportFailure('text', io)).toBe(1);
});

test('developers get the stack', () => {
  const io = fakeIo({ env: { ROOK_DEPS_DEBUG: '1' } });
  reportFailure(new TypeError('x is undefined'), io);
  expect(io.err()).toContain('failure.test.ts');
});
