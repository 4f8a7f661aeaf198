import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const LOCK_POLL_MS = 100;

/** The folder for one thing worth keeping between runs, named by a hash of what it was made from. */
export function cacheFolder(kind: string, madeFrom: string | Buffer): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const hash = createHash('sha256').update(madeFrom).digest('hex').slice(0, 16);
  return join(cache, 'rook-deps', kind, hash);
}

export interface Cached {
  readonly folder: string;
  /** The folder counts as complete once all of these are in it. */
  readonly files: readonly string[];
  /** Makes the files in an empty folder that nobody else looks at. */
  readonly fill: (into: string) => Promise<void>;
  readonly report: (line: string) => void;
}

/**
 * Fills a cache folder unless it is complete. The folder appears whole or not at all: a killed run leaves only a
 * `.partial-PID` beside it, which the next one removes. The lock saves double work; nothing depends on it.
 */
export async function ensureCached(cached: Cached, signal: AbortSignal): Promise<void> {
  if (isComplete(cached)) return;
  await mkdir(dirname(cached.folder), { recursive: true });
  const lock = `${cached.folder}.lock`;
  await acquire(lock, cached, signal);
  try {
    if (!isComplete(cached)) await fillAndPublish(cached);
  } finally {
    await rm(lock, { force: true });
  }
}

function isComplete({ folder, files }: Cached): boolean {
  return files.every((file) => existsSync(join(folder, file)));
}

async function acquire(lock: string, cached: Cached, signal: AbortSignal): Promise<void> {
  for (let waiting = false; ; waiting = true) {
    const taken = await writeFile(lock, String(process.pid), { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    if (taken) return;
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
    // Empty for the instant between creating the lock and writing to it.
    if (holder > 0 && !isAlive(holder)) {
      await rm(lock, { force: true });
      continue;
    }
    if (!waiting) cached.report(`waiting for process ${holder || '?'}, which is making the same files…`);
    await sleep(LOCK_POLL_MS, undefined, { signal });
  }
}

async function fillAndPublish({ folder, fill }: Cached): Promise<void> {
  await removeLeftovers(folder);
  const partial = `${folder}.partial-${process.pid}`;
  try {
    await mkdir(partial);
    await fill(partial);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function removeLeftovers(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.partial-`;
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length)))) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
