import { describe, expect, test } from 'vitest';
import { silentLogger } from '#pkg/log';
import { FakeClock, settle } from '#test/fakes/fake-clock.ts';
import { FakeLeases } from '#test/fakes/fake-leases.ts';
import { aborted } from './aborted.ts';
import type { Component } from './component.ts';
import { leaderElector } from './leader-election.ts';
import { leaderOnly } from './leader-only.ts';
import { runComponents, runInStages } from './run-components.ts';

function setUp() {
  const clock = new FakeClock();
  const options = { graceMs: 10_000, logger: silentLogger, clock };
  const stop = new AbortController();
  const events: string[] = [];
  /** Runs until told to stop, and then for some time more. */
  const steady = (name: string, stopsInMs = 0): Component => ({
    name,
    run: async (signal) => {
      events.push(`${name} starts`);
      await aborted(signal);
      if (stopsInMs > 0) await clock.sleep(stopsInMs, new AbortController().signal);
      events.push(`${name} ends`);
    },
  });
  return { clock, options, stop, events, steady };
}

describe('runComponents', () => {
  test('runs all until told to stop, then awaits all', async () => {
    const { clock, options, stop, events, steady } = setUp();
    const run = runComponents([steady('a', 500), steady('b')], options, stop.signal);
    await clock.advance(1_000);
    expect(events).toEqual(['a starts', 'b starts']);
    stop.abort();
    await clock.advance(500);
    await run;
    expect(events.slice(2)).toEqual(['b ends', 'a ends']);
    expect(clock.sleeping).toBe(0);
  });

  test('one that fails stops the others, and is the reason', async () => {
    const { clock, options, stop, events, steady } = setUp();
    const failure = new Error('port in use');
    const broken: Component = { name: 'server', run: () => Promise.reject(failure) };
    const run = runComponents([steady('a', 500), broken], options, stop.signal);
    const rejected = run.catch((error: unknown) => error);
    await clock.advance(500);
    expect(await rejected).toMatchObject({ message: 'component "server" failed', cause: failure });
    expect(events).toEqual(['a starts', 'a ends']);
  });

  test('one that throws before it returns a promise is like one that fails', async () => {
    const { options, stop, steady } = setUp();
    const broken: Component = {
      name: 'server',
      run: () => {
        throw new Error('bad option');
      },
    };
    await expect(runComponents([broken, steady('a')], options, stop.signal)).rejects.toThrow('server');
  });

  test('one that ends too early stops the others', async () => {
    const { options, stop, events, steady } = setUp();
    const short: Component = { name: 'watch', run: () => Promise.resolve() };
    await expect(runComponents([steady('a'), short], options, stop.signal)).rejects.toThrow(
      'component "watch" ended unexpectedly',
    );
    expect(events).toEqual(['a starts', 'a ends']);
  });

  test('names those that do not stop within the grace', async () => {
    const { clock, options, stop, steady } = setUp();
    const run = runComponents([steady('a', 60_000), steady('b')], options, stop.signal);
    const rejected = run.catch((error: unknown) => error);
    stop.abort();
    await clock.advance(10_000);
    expect(await rejected).toMatchObject({ message: 'did not stop within 10000 ms: a' });
  });

  test('a failure while stopping is not the reason for anything', async () => {
    const { options, stop } = setUp();
    const clumsy: Component = {
      name: 'a',
      run: async (signal) => {
        await aborted(signal);
        throw new Error('connection reset');
      },
    };
    const run = runComponents([clumsy], options, stop.signal);
    stop.abort();
    await expect(run).resolves.toBeUndefined();
  });

  test('starts and stops at once when told to stop before', async () => {
    const { options, events, steady } = setUp();
    await runComponents([steady('a')], options, AbortSignal.abort());
    expect(events).toEqual(['a starts', 'a ends']);
  });
});

describe('runInStages', () => {
  test('is first not ready, drains, stops servers, then controllers, then releases the lease', async () => {
    const { clock, options, stop, events, steady } = setUp();
    const leases = new FakeLeases(clock);
    const port = leases.port();
    const elector = leaderElector({
      namespace: 'system',
      name: 'controller',
      identity: 'a',
      clock,
      logger: silentLogger,
      leases: {
        ...port,
        update: (lease, signal) => {
          if (JSON.stringify(lease).includes('"holderIdentity":""')) events.push('lease is released');
          return port.update(lease, signal);
        },
      },
    });
    const leader = leaderOnly(elector, [steady('controller', 1_000)], options);
    const drain = { drainMs: 5_000, stopBeingReady: () => events.push('is not ready') };
    const run = runInStages([[steady('webhook', 300)], [leader]], drain, options, stop.signal);
    await clock.advance(1_000);
    events.length = 0;
    stop.abort();
    await clock.advance(4_999);
    expect(events).toEqual(['is not ready']);
    await clock.advance(2_000);
    await run;
    expect(events).toEqual(['is not ready', 'webhook ends', 'controller ends', 'lease is released']);
    expect(clock.sleeping).toBe(0);
  });

  test('tells later stages to stop even if an earlier one used up the grace', async () => {
    const { clock, options, stop, events, steady } = setUp();
    const drain = { drainMs: 0, stopBeingReady: () => undefined };
    const run = runInStages([[steady('stuck', 60_000)], [steady('b')]], drain, options, stop.signal);
    const rejected = run.catch((error: unknown) => error);
    stop.abort();
    await clock.advance(10_000);
    await settle();
    expect(await rejected).toMatchObject({ message: 'did not stop within 10000 ms: stuck' });
    expect(events).toContain('b ends');
  });
});
