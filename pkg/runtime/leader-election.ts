import { randomUUID } from 'node:crypto';
import type { Clock } from '#pkg/clock';
import type { Logger } from '#pkg/log';
import type { KubeObject } from '#pkg/object';
import { aborted, unlessAborted } from './aborted.ts';
import { claimedLease, holderOf, newLease, releasedLease, type Claim, type LeasePort } from './lease.ts';
import { LeaseWatch } from './lease-watch.ts';
import { Tenure } from './tenure.ts';
import { timeLimit } from './time-limit.ts';

export interface LeaderElectorOptions {
  readonly namespace: string;
  readonly name: string;
  /** No two processes may have the same, not even one after the other: see uniqueIdentity. */
  readonly identity: string;
  readonly leases: LeasePort;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Others wait for so long after the last sign of life. */
  readonly leaseDurationMs?: number | undefined;
  /** The holder stops leading when it could not renew for so long. The difference to the above is its time to stop. */
  readonly renewDeadlineMs?: number | undefined;
  readonly retryPeriodMs?: number | undefined;
  /** Adds up to so many times the retry period while waiting for the lease, so that the waiting do not ask at once. */
  readonly jitter?: number | undefined;
  /** From 0 to below 1; replaced in tests. */
  readonly random?: (() => number) | undefined;
}

export interface LeaderElector {
  readonly isLeading: boolean;
  /**
   * Waits for the lease, then runs `onLeading`, renews until it has ended, and gives the lease back. The signal that
   * `onLeading` gets is aborted when `signal` is or when the lease is lost; a loss rejects with LeadershipLost.
   */
  run(signal: AbortSignal, onLeading: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

/** The lease could not be renewed in time, or another has it. The process had better start anew. */
export class LeadershipLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LeadershipLost';
  }
}

/** A name for one process, that says where it runs. */
export function uniqueIdentity(host: string): string {
  return `${host}_${randomUUID()}`;
}

/** Of all electors with one namespace and name at most one leads, whatever their clocks say. */
export function leaderElector(options: LeaderElectorOptions): LeaderElector {
  return new LeaseElector(options);
}

interface Settings extends LeaderElectorOptions {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly jitter: number;
  readonly random: () => number;
}

class LeaseElector implements LeaderElector {
  readonly #options: Settings;
  readonly #watch: LeaseWatch;
  /** As last stored by us; absent when something may have changed it. */
  #lease: KubeObject | undefined;
  #tenure: Tenure | undefined;

  constructor(options: LeaderElectorOptions) {
    const {
      leaseDurationMs = 15_000,
      renewDeadlineMs = 10_000,
      retryPeriodMs = 2_000,
      jitter = 1.2,
      random = Math.random,
    } = options;
    if (leaseDurationMs <= renewDeadlineMs || renewDeadlineMs <= retryPeriodMs) {
      throw new Error('a lease must outlast its renew deadline, and that the retry period');
    }
    this.#options = { ...options, leaseDurationMs, renewDeadlineMs, retryPeriodMs, jitter, random };
    this.#watch = new LeaseWatch(options.clock, leaseDurationMs);
  }

  get isLeading(): boolean {
    return this.#tenure !== undefined && !this.#tenure.isOver;
  }

  async run(signal: AbortSignal, onLeading: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (!(await this.#acquire(signal))) return;
    const { identity, logger } = this.#options;
    logger.info('leading', { identity });
    const lost = new AbortController();
    const ended = new AbortController();
    const lead = async (): Promise<void> => onLeading(AbortSignal.any([signal, lost.signal]));
    const work = lead().finally(() => ended.abort());
    work.catch(() => undefined); // awaited below, a little later than it may fail
    // Renewed until the work has ended, not only until it was told to: nobody else may start before.
    await this.#renew(lost, ended.signal);
    try {
      await (lost.signal.aborted ? this.#soon(work) : work);
    } finally {
      if (!lost.signal.aborted) await this.#release();
      this.#tenure?.end();
    }
    lost.signal.throwIfAborted();
  }

  /** Waits for work that was told to stop, but not beyond the time at which another may start it. */
  async #soon(work: Promise<void>): Promise<void> {
    const { clock, leaseDurationMs, renewDeadlineMs } = this.#options;
    const limit = timeLimit(clock, leaseDurationMs - renewDeadlineMs, 'the lease is over');
    await Promise.race([Promise.allSettled([work]), aborted(limit.signal)]);
    limit.cancel();
  }

  /** False if aborted before. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, logger, retryPeriodMs, jitter, random } = this.#options;
    try {
      while (!signal.aborted) {
        await this.#attempt('cannot acquire the lease', signal, (limit) => this.#tryAcquire(limit));
        if (this.isLeading) return true;
        logger.debug('waiting for the lease');
        await clock.sleep(retryPeriodMs * (1 + jitter * random()), signal).catch(() => undefined);
      }
      return false;
    } finally {
      this.#watch.stop();
    }
  }

  async #tryAcquire(signal: AbortSignal): Promise<void> {
    const { namespace, name, identity, leases } = this.#options;
    const lease = await leases.get(namespace, name, signal);
    // Ours already: written by a request whose answer was lost.
    if (!lease || holderOf(lease) === identity || this.#watch.isFree(lease)) await this.#write(lease, signal);
  }

  /** Ends when the work has, or the lease is lost: then with `lost` aborted. */
  async #renew(lost: AbortController, ended: AbortSignal): Promise<void> {
    const { clock, renewDeadlineMs, retryPeriodMs } = this.#options;
    while (!ended.aborted) {
      const over = this.#tenure?.signal ?? AbortSignal.abort();
      await clock.sleep(retryPeriodMs, AbortSignal.any([ended, over])).catch(() => undefined);
      if (ended.aborted) return;
      if (this.isLeading) {
        // Not cut short when the work ends: the release must know what was stored last.
        await this.#attempt('cannot renew the lease', over, (limit) => this.#tryRenew(limit));
      }
      if (this.isLeading || ended.aborted) continue;
      this.#options.logger.error('lost the lease', { identity: this.#options.identity });
      lost.abort(
        new LeadershipLost(`could not renew the lease within ${renewDeadlineMs} ms, or another has it`),
      );
      return;
    }
  }

  async #tryRenew(signal: AbortSignal): Promise<void> {
    const { namespace, name, identity, leases } = this.#options;
    const lease = this.#lease ?? (await leases.get(namespace, name, signal));
    if (lease && holderOf(lease) !== identity) this.#tenure?.end();
    else await this.#write(lease, signal);
  }

  /** Creates or updates the lease as ours. The tenure counts from before the request: others may see it from then on. */
  async #write(lease: KubeObject | undefined, signal: AbortSignal): Promise<void> {
    const { leases, clock, renewDeadlineMs } = this.#options;
    // The caller may have given up while the lease was being read.
    signal.throwIfAborted();
    const tenure = new Tenure(clock, renewDeadlineMs);
    this.#lease = undefined;
    try {
      const claim = this.#claim();
      const stored = lease
        ? await unlessAborted(leases.update(claimedLease(lease, claim), signal), signal)
        : await unlessAborted(leases.create(newLease(claim), signal), signal);
      signal.throwIfAborted();
      this.#lease = stored;
      this.#tenure?.cancel();
      this.#tenure = tenure;
    } catch (error) {
      tenure.cancel();
      throw error;
    }
  }

  async #release(): Promise<void> {
    const { namespace, name, identity, leases, clock, logger } = this.#options;
    await this.#attempt('cannot release the lease', new AbortController().signal, async (signal) => {
      const lease = this.#lease ?? (await leases.get(namespace, name, signal));
      this.#lease = undefined;
      if (!lease || holderOf(lease) !== identity) return;
      await leases.update(releasedLease(lease, clock.now()), signal);
      logger.info('released the lease', { identity });
    });
  }

  /** Tries once, for at most half the renew deadline, so that one dead connection leaves time for a second try. */
  async #attempt(
    failure: string,
    signal: AbortSignal,
    tryOnce: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { clock, logger, renewDeadlineMs } = this.#options;
    const limit = timeLimit(clock, renewDeadlineMs / 2, 'no answer in time');
    const stop = AbortSignal.any([signal, limit.signal]);
    try {
      await unlessAborted(tryOnce(stop), stop);
    } catch (err) {
      this.#lease = undefined;
      if (!signal.aborted) logger.info(failure, { err });
    } finally {
      limit.cancel();
    }
  }

  #claim(): Claim {
    const { namespace, name, identity, leaseDurationMs, clock } = this.#options;
    return { namespace, name, identity, durationMs: leaseDurationMs, nowMs: clock.now() };
  }
}
