import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FakeClock, settle } from '#test/fakes/fake-clock.ts';
import { Queue } from './queue.ts';

const never = new AbortController().signal;

function setUp(jitter = 0) {
  const clock = new FakeClock();
  const backoff = { baseMs: 100, capMs: 1_000, jitter, random: () => 0.5 };
  const queue = new Queue<string>({ clock, idOf: (key) => key, backoff });
  return { clock, queue };
}

/** Takes what is ready now, and nothing later. */
async function takeReady(queue: Queue<string>): Promise<string | undefined> {
  const stop = new AbortController();
  const taken = queue.take(stop.signal);
  await settle();
  stop.abort();
  return taken;
}

describe('Queue', () => {
  test('hands out each key once, in the order of their coming', async () => {
    const { queue } = setUp();
    for (const key of ['b', 'a', 'b', 'c', 'a']) queue.add(key);
    expect(queue.depth).toBe(3);
    expect([await queue.take(never), await queue.take(never), await queue.take(never)]).toEqual([
      'b',
      'a',
      'c',
    ]);
    expect(queue.depth).toBe(0);
  });

  test('keys of the same text are the same', async () => {
    const clock = new FakeClock();
    const queue = new Queue<{ readonly name: string }>({ clock, idOf: ({ name }) => name });
    queue.add({ name: 'a' });
    queue.add({ name: 'a' });
    expect(queue.depth).toBe(1);
  });

  test('a key added while with a worker waits for that worker, then comes again once', async () => {
    const { queue } = setUp();
    queue.add('a');
    await queue.take(never);
    queue.add('a');
    queue.add('a');
    expect(await takeReady(queue)).toBeUndefined();
    queue.done('a');
    expect(await takeReady(queue)).toBe('a');
    queue.done('a');
    expect(await takeReady(queue)).toBeUndefined();
  });

  test('wakes a worker that waits', async () => {
    const { queue } = setUp();
    const taken = queue.take(never);
    queue.add('a');
    expect(await taken).toBe('a');
  });

  test('a key is not lost on a worker that stops while it is woken', async () => {
    const { queue } = setUp();
    const stop = new AbortController();
    const first = queue.take(stop.signal);
    const second = queue.take(never);
    queue.add('a');
    stop.abort();
    expect([await first, await second]).toEqual([undefined, 'a']);
  });

  test('of several delays of a key the one that ends first counts', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 500);
    queue.addAfter('a', 200);
    queue.addAfter('a', 900);
    await clock.advance(199);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
    expect(clock.sleeping).toBe(0);
  });

  test('retries wait twice as long each time, up to the cap, until forgotten', async () => {
    const { clock, queue } = setUp();
    const waits: number[] = [];
    for (let failure = 0; failure < 6; failure += 1) {
      queue.retry('a');
      const startedMs = clock.now();
      while (queue.depth === 0) await clock.advance(10);
      waits.push(clock.now() - startedMs);
      await queue.take(never);
      queue.done('a');
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    queue.forget('a');
    queue.retry('a');
    await clock.advance(100);
    expect(queue.depth).toBe(1);
  });

  test('jitter shortens a wait by its share of chance', async () => {
    const { clock, queue } = setUp(0.2);
    queue.retry('a');
    await clock.advance(89);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
  });

  test('a shutdown hands out what waits, takes nothing more, and ends when all is done', async () => {
    const { clock, queue } = setUp();
    let drained = false;
    for (const key of ['a', 'b']) queue.add(key);
    queue.addAfter('later', 1_000);
    await queue.take(never);
    queue.add('a');
    void queue.shutDown().then(() => (drained = true));
    queue.add('c');
    queue.retry('c');
    expect(clock.sleeping).toBe(0);

    expect(await queue.take(never)).toBe('b');
    queue.done('b');
    // A worker that comes now may not go home yet: "a" will come again.
    const last = queue.take(never);
    queue.done('a');
    expect(await last).toBe('a');
    await settle();
    expect(drained).toBe(false);
    queue.done('a');
    await settle();
    expect(drained).toBe(true);
    expect(await queue.take(never)).toBeUndefined();
  });

  test('a shutdown sends waiting workers home', async () => {
    const { queue } = setUp();
    const workers = [queue.take(never), queue.take(never)];
    await queue.shutDown();
    expect(await Promise.all(workers)).toEqual([undefined, undefined]);
  });
});

describe('any use of a queue', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), key }),
    fc.record({ kind: fc.constant('addAfter' as const), key, ms: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ kind: fc.constant('retry' as const), key }),
    fc.record({ kind: fc.constant('forget' as const), key }),
    fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 60 }) }),
    fc.record({ kind: fc.constant('replace-worker' as const) }),
  );

  test('no key is with two workers at once, and after each addition a worker gets it', async () => {
    const property = async (
      steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
      seed: number,
    ) => {
      const clock = new FakeClock();
      const queue = new Queue<string>({ clock, idOf: (id) => id });
      const busy = new Set<string>();
      /** Keys that a worker must still begin with. */
      const owed = new Set<string>();
      let random = seed;
      const work = async (signal: AbortSignal): Promise<void> => {
        for (let taken = await queue.take(signal); taken; taken = await queue.take(signal)) {
          expect(busy).not.toContain(taken);
          busy.add(taken);
          owed.delete(taken);
          random = (random * 16_807 + 1) % 2_147_483_647;
          await clock.sleep(random % 30, never);
          busy.delete(taken);
          queue.done(taken);
        }
      };
      const stops: AbortController[] = [];
      const works: Promise<void>[] = [];
      const hire = (): void => {
        const stop = new AbortController();
        stops.push(stop);
        works.push(work(stop.signal));
      };
      for (let count = 0; count < 3; count += 1) hire();

      for (const next of steps) {
        if (next.kind === 'advance') await clock.advance(next.ms);
        else if (next.kind === 'replace-worker') {
          stops.shift()?.abort();
          hire();
        } else if (next.kind === 'forget') queue.forget(next.key);
        else {
          owed.add(next.key);
          if (next.kind === 'add') queue.add(next.key);
          else if (next.kind === 'retry') queue.retry(next.key);
          else queue.addAfter(next.key, next.ms);
        }
      }
      await clock.advance(300_000);
      expect([...owed]).toEqual([]);
      expect(queue.depth).toBe(0);
      await queue.shutDown();
      await Promise.all(works);
      expect(clock.sleeping).toBe(0);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(), property), {
      numRuns: 150,
    });
  });
});
