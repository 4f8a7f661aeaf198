import { expect, test } from 'vitest';
import { fakeIo } from '#test/fakes/io.ts';
import { MaintenanceProgress, wayOf } from './progress.ts';

test.for([true, false])(
  'what was waited for stays to be read at the end, terminal or not: %s',
  (isTerminal) => {
    const io = fakeIo({ stderrIsTerminal: isTerminal });
    const progress = new MaintenanceProgress(io);
    for (const line of ['node-a waits: one', 'node-a waits: two', 'node-a waits: two']) progress.say(line);
    progress.leave('timed out', wayOf('node-a', 'stop'));
    expect(io.err().split('\n')).toEqual([
      ...(isTerminal ? [] : ['node-a waits: one']),
      'node-a waits: two',
      'error: timed out; the maintenance of node-a stays as it is',
      'To go on:   kubectl rook-deps maintenance stop node-a',
      '',
    ]);
  },
);
