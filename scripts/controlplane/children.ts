import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { guard, type Guard } from './guard.ts';

const LOG_TAIL_LINES = 8;

/** A server ended while it was still needed. */
export class ServerEnded extends Error {
  readonly log: string;

  constructor(name: string, log: string) {
    super(`${name} ended:\n${log.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n')}`);
    this.name = 'ServerEnded';
    this.log = log;
  }
}

/** The servers of one control plane or Ceph cluster: they live in one folder, log into it, and go together with it. */
export class Children {
  readonly #folder: string;
  readonly #guard: Guard;
  readonly #running = new Map<string, ChildProcess>();
  readonly #ended = Promise.withResolvers<never>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#guard = guard(folder);
    // Nobody may be waiting at the moment when one ends.
    this.#ended.promise.catch(() => undefined);
  }

  start(
    name: string,
    file: string,
    flags: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): void {
    const logFile = join(this.#folder, `${name}.log`);
    const log = openSync(logFile, 'a');
    // Detached: Ctrl-C in a terminal reaches us alone, so that the servers answer until we stop them.
    const child = spawn(file, flags, {
      cwd: this.#folder,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    if (child.pid !== undefined) this.#guard.watch(child.pid);
    child.unref();
    this.#running.set(name, child);
    child.once('error', (error) => this.#ended.reject(error));
    child.once('exit', () => {
      // One that was ended on purpose is no longer among the running.
      if (this.#running.get(name) === child) this.#ended.reject(new ServerEnded(name, readLog(logFile)));
    });
  }

  /** The outcome of `work`, or ServerEnded if a server ends before. */
  during<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#ended.promise]);
  }

  isRunning(name: string): boolean {
    return this.#running.has(name);
  }

  /** SIGSTOP and SIGCONT: it hangs, and goes on. */
  signal(name: string, signal: NodeJS.Signals): void {
    this.#running.get(name)?.kill(signal);
  }

  /** Ends one server, as a crash would unless another signal is named; it may be started again. */
  async end(name: string, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#running.get(name);
    this.#running.delete(name);
    if (child) await kill(child, signal);
  }

  /** Nothing here is worth a graceful end: the data goes as well. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.end(name)));
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    this.#guard.release();
  }
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.ref();
  child.kill(signal);
  await exited;
}

function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
