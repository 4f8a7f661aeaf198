import { describe, expect, test } from 'vitest';
import { jsonLogger } from '#pkg/log';
import { FakeClock, settle } from '#test/fakes/fake-clock.ts';
import { aborted } from './aborted.ts';
import { controller, type ReconcileResult } from './controller.ts';
import { Queue } from './queue.ts';
import { lookAgain, TerminalError, waitForChange, type Outcome } from './reconciler.ts';

class Conflict extends Error {}

function setUp(reconcile: (key: string, signal: AbortSignal) => Promise<Outcome>, workers = 2) {
  const clock = new FakeClock();
  const backoff = { baseMs: 100, capMs: 60_000, jitter: 0 };
  const queue = new Queue<string>({ clock, idOf: (key) => key, backoff });
  const lines: Record<string, unknown>[] = [];
  const logger = jsonLogger((line) => lines.push(JSON.parse(line) as Record<string, unknown>), clock.now, {
    debug: false,
  });
  const measured: [string, ReconcileResult, number][] = [];
  const component = controller({
    name: 'usage',
    queue,
    reconciler: { reconcile },
    workers,
    timeoutMs: 1_000,
    logger,
    metrics: { reconciled: (...facts) => measured.push(facts) },
    clock,
    isConflict: (error) => error instanceof Conflict,
  });
  const stop = new AbortController();
  const run = component.run(stop.signal);
  return { clock, queue, lines, measured, stop, run };
}

describe('controller', () => {
  test('waits for a change after a reconcile that says so, and logs one line', async () => {
    const { clock, queue, lines, measured } = setUp(async () => waitForChange);
    queue.add('a');
    await clock.advance(600_000);
    expect(measured).toEqual([['usage', 'success', 0]]);
    expect(lines).toEqual([
      {
        time: '2030-01-01T00:00:00.000Z',
        level: 'info',
        msg: 'reconciled',
        controller: 'usage',
        object: 'a',
        reconcileId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        durationMs: 0,
        outcome: { kind: 'wait-for-change' },
      },
    ]);
  });

  test('looks again after the time that a reconcile asks for', async () => {
    const { clock, queue, measured } = setUp(async () => lookAgain(30_000));
    queue.add('a');
    await clock.advance(29_999);
    expect(measured).toHaveLength(1);
    await clock.advance(1);
    expect(measured).toHaveLength(2);
  });

  test('tries again after a failure, later each time, and at once after a success', async () => {
    let failures = 3;
    const { clock, queue, lines, measured } = setUp(async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('no answer', { cause: new Error('ECONNRESET') });
      return waitForChange;
    });
    queue.add('a');
    await clock.advance(699);
    expect(measured.map(([, result]) => result)).toEqual(['error', 'error', 'error']);
    expect(lines[0]).toMatchObject({ level: 'error', object: 'a', err: 'no answer: ECONNRESET' });
    await clock.advance(1);
    expect(measured.at(-1)?.[1]).toBe('success');
    failures = 1;
    queue.add('a');
    await clock.advance(100);
    expect(measured.map(([, result]) => result).slice(4)).toEqual(['error', 'success']);
  });

  test('does not try again what cannot be mended', async () => {
    const { clock, queue, measured } = setUp(() => Promise.reject(new TerminalError('bad spec')));
    queue.add('a');
    await clock.advance(600_000);
    expect(measured.map(([, result]) => result)).toEqual(['terminal-error']);
  });

  test('tries again soon after a conflict, without an error', async () => {
    let conflicts = 1;
    const { clock, queue, lines, measured } = setUp(async () => {
      conflicts -= 1;
      if (conflicts >= 0) throw new Conflict();
      return waitForChange;
    });
    queue.add('a');
    await clock.advance(100);
    expect(measured.map(([, result]) => result)).toEqual(['conflict', 'success']);
    expect(lines.map(({ level }) => level)).toEqual(['info', 'info']);
  });

  test('survives a reconciler that throws before it returns a promise', async () => {
    const { clock, queue, measured } = setUp(() => {
      throw new TypeError('undefined is not a function');
    });
    queue.add('a');
    await clock.advance(100);
    expect(measured.map(([, result]) => result)).toEqual(['error', 'error']);
  });

  test('aborts a reconcile that takes too long, and keeps its key from other workers until it has ended', async () => {
    let running = 0;
    let most = 0;
    const { clock, queue, lines, measured } = setUp(async (_, signal) => {
      running += 1;
      most = Math.max(most, running);
      await aborted(signal);
      await clock.sleep(5_000, new AbortController().signal);
      running -= 1;
      throw signal.reason as Error;
    });
    queue.add('a');
    await clock.advance(1_000);
    queue.add('a');
    expect(lines.map(({ msg }) => msg)).toEqual(['reconcile takes too long']);
    await clock.advance(30_000);
    expect(measured[0]).toEqual(['usage', 'error', 6_000]);
    expect(most).toBe(1);
  });

  test('reconciles as many keys at once as it has workers', async () => {
    let running = 0;
    let most = 0;
    const { clock, queue } = setUp(async () => {
      running += 1;
      most = Math.max(most, running);
      await clock.sleep(10, new AbortController().signal);
      running -= 1;
      return waitForChange;
    }, 3);
    for (let key = 0; key < 10; key += 1) queue.add(String(key));
    await clock.advance(1_000);
    expect(most).toBe(3);
  });

  test('ends when told to: what runs is aborted and awaited, what waits is dropped, no timer is left', async () => {
    const seen: string[] = [];
    const { clock, queue, measured, stop, run } = setUp(async (key, signal) => {
      seen.push(key);
      await aborted(signal);
      throw signal.reason as Error;
    }, 1);
    for (const key of ['a', 'b']) queue.add(key);
    queue.addAfter('c', 60_000);
    await settle();
    stop.abort();
    await run;
    expect(seen).toEqual(['a']);
    expect(measured.map(([, result]) => result)).toEqual(['stopped']);
    expect(clock.sleeping).toBe(0);
  });

  test('does not end with its queue, but when told to', async () => {
    let ended = false;
    const { queue, stop, run } = setUp(async () => waitForChange);
    void run.then(() => (ended = true));
    queue.add('a');
    await queue.shutDown();
    await settle();
    expect(ended).toBe(false);
    stop.abort();
    await run;
  });
});
