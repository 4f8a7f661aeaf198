import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '#pkg/clock';
import { silentLogger } from '#pkg/log';
import { textAt } from '#pkg/object';
import { FakeClock, settle } from '#test/fakes/fake-clock.ts';
import { FakeLeases, SWIFT, type Fate } from '#test/fakes/fake-leases.ts';
import { aborted } from './aborted.ts';
import {
  leaderElector,
  LeadershipLost,
  type LeaderElector,
  type LeaderElectorOptions,
} from './leader-election.ts';

const NAMESPACE = 'system';
const NAME = 'controller';

interface Candidate {
  readonly elector: LeaderElector;
  readonly stop: AbortController;
  /** Of the work, not of the elector. */
  readonly isWorking: () => boolean;
  /** How `run` ended: undefined while it runs. */
  readonly result: () => 'ended' | Error | undefined;
}

function setUp() {
  const clock = new FakeClock();
  const leases = new FakeLeases(clock);
  const spec = () => leases.stored.get(`${NAMESPACE}/${NAME}`)?.['spec'];
  const holder = () => textAt(spec(), 'holderIdentity');
  const candidate = (
    identity: string,
    options: Partial<LeaderElectorOptions> & { readonly lingerMs?: number } = {},
  ): Candidate => {
    const base = { namespace: NAMESPACE, name: NAME, identity, clock, logger: silentLogger };
    const elector = leaderElector({ ...base, leases: leases.port(), random: () => 0.5, ...options });
    return start(elector, clock, options.lingerMs ?? 0);
  };
  return { clock, leases, spec, holder, candidate };
}

function start(elector: LeaderElector, clock: Clock, lingerMs: number): Candidate {
  const stop = new AbortController();
  let working = false;
  let result: 'ended' | Error | undefined;
  const work = async (signal: AbortSignal): Promise<void> => {
    working = true;
    await aborted(signal);
    if (lingerMs > 0) await clock.sleep(lingerMs, new AbortController().signal);
    working = false;
  };
  elector.run(stop.signal, work).then(
    () => (result = 'ended'),
    (error: Error) => (result = error),
  );
  return { elector, stop, isWorking: () => working, result: () => result };
}

describe('leaderElector', () => {
  test('leads at once where there is no lease, and writes it as Kubernetes does', async () => {
    const { clock, candidate, spec } = setUp();
    const a = candidate('a');
    await clock.advance(0);
    expect(a.isWorking()).toBe(true);
    expect(a.elector.isLeading).toBe(true);
    expect(spec()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test('renews every retry period with one write, and keeps the time of acquisition', async () => {
    const { clock, leases, candidate, spec } = setUp();
    let requests = 0;
    const fate = () => {
      requests += 1;
      return SWIFT;
    };
    candidate('a', { leases: leases.port(fate) });
    await clock.advance(20_000);
    expect(leases.writes).toBe(11);
    expect(requests).toBe(12);
    expect(spec()).toMatchObject({
      acquireTime: '2030-01-01T00:00:00.000000Z',
      renewTime: '2030-01-01T00:00:20.000000Z',
    });
  });

  test('keeps what others wrote into the metadata of the lease', async () => {
    const { clock, leases, candidate } = setUp();
    candidate('a');
    await clock.advance(0);
    const key = `${NAMESPACE}/${NAME}`;
    const lease = leases.stored.get(key);
    if (!lease) throw new Error('there is no lease');
    const metadata = { ...lease.metadata, labels: { team: 'storage' }, resourceVersion: 'labelled' };
    leases.stored.set(key, { ...lease, metadata });
    await clock.advance(30_000);
    expect(leases.stored.get(key)?.metadata.labels).toEqual({ team: 'storage' });
  });

  test('a released lease is taken at the next look', async () => {
    const { clock, candidate, spec, holder } = setUp();
    const a = candidate('a');
    const b = candidate('b');
    await clock.advance(5_000);
    expect([a.isWorking(), b.isWorking()]).toEqual([true, false]);
    a.stop.abort();
    await settle();
    expect(a.result()).toBe('ended');
    expect(holder()).toBeUndefined();
    await clock.advance(3_200);
    expect(holder()).toBe('b');
    expect(b.isWorking()).toBe(true);
    expect(spec()).toMatchObject({ leaseTransitions: 1 });
  });

  test('goes on renewing, and does not release, until the work has ended', async () => {
    const { clock, candidate, holder } = setUp();
    const a = candidate('a', { lingerMs: 40_000 });
    const b = candidate('b');
    await clock.advance(1_000);
    a.stop.abort();
    await clock.advance(39_000);
    expect([a.isWorking(), b.isWorking(), holder()]).toEqual([true, false, 'a']);
    await clock.advance(5_000);
    expect([a.isWorking(), b.isWorking(), holder()]).toEqual([false, true, 'b']);
  });

  test('a silent holder is replaced when its lease has run out, by the time of the observer', async () => {
    const { clock, leases, candidate } = setUp();
    let dead = false;
    candidate('a', { leases: leases.port(() => (dead ? { ...SWIFT, lost: 'request' } : SWIFT)) });
    await clock.advance(1_000);
    dead = true;
    // Its own time of day is an hour ahead: by that, the lease has long run out.
    const ahead: Clock = { now: () => clock.now() + 3_600_000, sleep: clock.sleep };
    const b = candidate('b', { clock: ahead });
    await clock.advance(14_900);
    expect(b.isWorking()).toBe(false);
    await clock.advance(5_000);
    expect(b.isWorking()).toBe(true);
  });

  test('labelling the lease is no sign of life', async () => {
    const { clock, leases, candidate } = setUp();
    let dead = false;
    candidate('a', { leases: leases.port(() => (dead ? { ...SWIFT, lost: 'request' } : SWIFT)) });
    const b = candidate('b');
    await clock.advance(1_000);
    dead = true;
    const key = `${NAMESPACE}/${NAME}`;
    for (let second = 0; second < 20; second += 1) {
      const lease = leases.stored.get(key);
      if (lease && !b.isWorking())
        leases.stored.set(key, { ...lease, metadata: { ...lease.metadata, resourceVersion: `l${second}` } });
      await clock.advance(1_000);
    }
    expect(b.isWorking()).toBe(true);
  });

  test('stops leading at the deadline when it cannot renew, before anyone else may start', async () => {
    const { clock, leases, candidate } = setUp();
    let fate: Fate = SWIFT;
    const a = candidate('a', { leases: leases.port(() => fate) });
    await clock.advance(0);
    fate = { ...SWIFT, lost: 'request' };
    await clock.advance(9_999);
    expect(a.isWorking()).toBe(true);
    await clock.advance(1);
    await settle();
    expect(a.isWorking()).toBe(false);
    expect(a.elector.isLeading).toBe(false);
    expect(a.result()).toBeInstanceOf(LeadershipLost);
  });

  test('an answer that came too late is no lead', async () => {
    const { clock, leases, candidate } = setUp();
    const a = candidate('a', { leases: leases.port(() => ({ ...SWIFT, backMs: 6_000 })) });
    await clock.advance(60_000);
    expect(a.isWorking()).toBe(false);
  });

  test('counts the deadline from before the request, not from its answer', async () => {
    const { clock, leases, candidate } = setUp();
    const fates: Fate[] = [SWIFT, { ...SWIFT, backMs: 4_900 }];
    const a = candidate('a', { leases: leases.port(() => fates.shift() ?? { ...SWIFT, lost: 'request' }) });
    await clock.advance(9_999);
    expect(a.isWorking()).toBe(true);
    await clock.advance(1);
    await settle();
    expect(a.isWorking()).toBe(false);
  });

  test('a lost answer is made good by the next try', async () => {
    const { clock, leases, candidate } = setUp();
    const fates: Fate[] = [SWIFT, { ...SWIFT, lost: 'answer' }];
    const a = candidate('a', { leases: leases.port(() => fates.shift() ?? SWIFT) });
    await clock.advance(9_000);
    expect(a.isWorking()).toBe(true);
  });

  test('gives up at once when another holds the lease', async () => {
    const { clock, leases, candidate } = setUp();
    const a = candidate('a');
    await clock.advance(0);
    const key = `${NAMESPACE}/${NAME}`;
    const lease = leases.stored.get(key);
    if (!lease) throw new Error('there is no lease');
    const metadata = { ...lease.metadata, resourceVersion: 'stolen' };
    leases.stored.set(key, {
      ...lease,
      metadata,
      spec: { holderIdentity: 'thief', leaseDurationSeconds: 15 },
    });
    await clock.advance(4_000);
    expect(a.isWorking()).toBe(false);
    expect(a.result()).toBeInstanceOf(LeadershipLost);
    expect(textAt(leases.stored.get(key), 'spec', 'holderIdentity')).toBe('thief');
  });

  test('makes a lease anew that was deleted under it', async () => {
    const { clock, leases, candidate, holder } = setUp();
    const a = candidate('a');
    await clock.advance(0);
    leases.stored.clear();
    await clock.advance(5_000);
    expect(holder()).toBe('a');
    expect(a.isWorking()).toBe(true);
  });

  test('setting the time of day forward costs the lead, backward nothing', async () => {
    const { clock, candidate } = setUp();
    const a = candidate('a');
    await clock.advance(5_000);
    clock.jump(-3_600_000);
    await clock.advance(30_000);
    expect(a.isWorking()).toBe(true);
    clock.jump(3_600_000);
    await clock.advance(2_000);
    expect(a.result()).toBeInstanceOf(LeadershipLost);
  });

  test('work that does not stop after a loss is not waited for beyond the end of the lease', async () => {
    const { clock, leases, candidate } = setUp();
    let fate: Fate = SWIFT;
    const a = candidate('a', { leases: leases.port(() => fate), lingerMs: 600_000 });
    await clock.advance(0);
    fate = { ...SWIFT, lost: 'request' };
    await clock.advance(14_999);
    expect(a.result()).toBeUndefined();
    await clock.advance(1);
    await settle();
    expect(a.result()).toBeInstanceOf(LeadershipLost);
  });

  test('the failure of the work releases the lease and is passed on', async () => {
    const { clock, leases, holder } = setUp();
    const base = { namespace: NAMESPACE, name: NAME, identity: 'a', clock, logger: silentLogger };
    const elector = leaderElector({ ...base, leases: leases.port() });
    const failure = new Error('broken');
    await expect(elector.run(new AbortController().signal, () => Promise.reject(failure))).rejects.toBe(
      failure,
    );
    expect(holder()).toBeUndefined();
    expect(clock.sleeping).toBe(0);
  });

  test('ends without leading when stopped while waiting, and leaves no timer', async () => {
    const { clock, candidate, holder } = setUp();
    const a = candidate('a');
    const b = candidate('b');
    await clock.advance(1_000);
    b.stop.abort();
    await settle();
    expect(b.result()).toBe('ended');
    expect(holder()).toBe('a');
    a.stop.abort();
    await settle();
    expect(clock.sleeping).toBe(0);
  });

  test('refuses timings under which two could lead', () => {
    const { clock, leases } = setUp();
    const base = { namespace: NAMESPACE, name: NAME, identity: 'a', clock, logger: silentLogger };
    const timings = { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 };
    expect(() => leaderElector({ ...base, leases: leases.port(), ...timings })).toThrow();
  });
});

describe('any number of electors on any network', () => {
  const fate: fc.Arbitrary<Fate> = fc.oneof(
    { weight: 4, arbitrary: fc.constant(SWIFT) },
    {
      weight: 3,
      arbitrary: fc.record({
        thereMs: fc.integer({ min: 0, max: 20_000 }),
        backMs: fc.integer({ min: 0, max: 20_000 }),
        lost: fc.constantFrom('nothing', 'request', 'answer'),
      }),
    },
  );
  const candidates = fc.array(
    fc.record({
      fates: fc.array(fate, { minLength: 1, maxLength: 40 }),
      skewMs: fc.integer({ min: -86_400_000, max: 86_400_000 }),
      jitter: fc.double({ min: 0, max: 0.99, noNaN: true }),
      // Just short of the time between the renew deadline and the end of the lease.
      lingerMs: fc.integer({ min: 0, max: 4_900 }),
    }),
    { minLength: 2, maxLength: 4 },
  );
  const steps = fc.array(
    fc.record({
      who: fc.nat(3),
      what: fc.constantFrom('stop', 'kill', 'set-time'),
      afterMs: fc.integer({ min: 0, max: 30_000 }),
    }),
    { maxLength: 8 },
  );

  test('no two work at once, and once the network is well, one does', async () => {
    await fc.assert(
      fc.asyncProperty(candidates, steps, async (setups, script) => {
        const clock = new FakeClock();
        const leases = new FakeLeases(clock);
        let isWell = false;
        let generation = 0;
        const working = new Map<number, string>();

        const launch = (who: number) => {
          const setup = setups[who % setups.length];
          if (!setup) throw new Error('no such candidate');
          const identity = `${who}-${(generation += 1)}`;
          let request = 0;
          let isDead = false;
          let skewMs = setup.skewMs;
          const next = (): Fate => {
            if (isDead) return { ...SWIFT, lost: 'request' };
            return isWell ? SWIFT : (setup.fates[(request += 1) % setup.fates.length] ?? SWIFT);
          };
          const elector = leaderElector({
            namespace: NAMESPACE,
            name: NAME,
            identity,
            leases: leases.port(next),
            clock: { now: () => clock.now() + skewMs, sleep: clock.sleep },
            logger: silentLogger,
            random: () => setup.jitter,
          });
          const stop = new AbortController();
          const run = elector.run(stop.signal, async (signal) => {
            if (isDead) return;
            expect([...working.values()]).toEqual([]);
            working.set(who, identity);
            await aborted(signal);
            if (!isDead) await clock.sleep(setup.lingerMs, new AbortController().signal);
            if (working.get(who) === identity) working.delete(who);
          });
          const failure = run.then(
            () => undefined,
            (error: unknown) => (error instanceof LeadershipLost ? undefined : error),
          );
          const kill = (): void => {
            isDead = true;
            working.delete(who);
            stop.abort();
          };
          const setTime = (): void => {
            skewMs -= 7_200_000;
          };
          return { stop, kill, setTime, failure };
        };

        const running = setups.map((_, who) => launch(who));
        const failures = running.map(({ failure }) => failure);
        for (const { who, what, afterMs } of script) {
          await clock.advance(afterMs);
          const one = running[who % running.length];
          if (what === 'set-time') one?.setTime();
          else {
            if (what === 'kill') one?.kill();
            else one?.stop.abort();
            await clock.advance(afterMs);
            const again = launch(who % running.length);
            running[who % running.length] = again;
            failures.push(again.failure);
          }
        }
        await clock.advance(60_000);
        isWell = true;
        for (const one of running) one.kill();
        const last = launch(0);
        failures.push(last.failure);
        // Late writes of the dead (20 s), then the lease (15 s), then the next look.
        await clock.advance(60_000);
        expect(working.size).toBe(1);
        last.stop.abort();
        await clock.advance(60_000);
        expect(working.size).toBe(0);
        expect((await Promise.all(failures)).filter((error) => error !== undefined)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
