import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../controlplane/index.ts';
import type { Contestant } from './questions.ts';

/** One finished run of a program. */
export interface Run {
  /** Milliseconds since 1970, as in the audit log. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly wallMs: number;
  /** Undefined where nothing can measure it. */
  readonly usage: Usage | undefined;
}

/** What a process took from the machine. */
export interface Usage {
  readonly peakBytes: number;
  /** On all processors together: what is left of the time when others keep the machine busy as well. */
  readonly cpuMs: number;
}

export interface Bench {
  /** For the output of the programs. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether GNU time is there: only it tells what a process that has ended used. */
  readonly hasGnuTime: boolean;
}

const USAGE_FORMAT = '%M %U %S';

export async function findGnuTime(signal: AbortSignal): Promise<boolean> {
  const tried = await run('time', ['-f', USAGE_FORMAT, 'true'], {}, signal).catch(() => undefined);
  return tried?.code === 0 && /^\d+ [\d.]+ [\d.]+\s*$/.test(tried.stderr);
}

/** A program with its arguments, and what to call it. */
export type Program = Pick<Contestant, 'name' | 'file' | 'args'>;

/** Runs a program to its end. Its output goes to a file, so that nobody has to read it meanwhile. */
export async function runOnce(
  { name, file, args }: Program,
  { folder, env, hasGnuTime }: Bench,
  signal: AbortSignal,
): Promise<Run> {
  const usageFile = join(folder, 'usage');
  const errorFile = join(folder, 'stderr');
  await using stdout = await open(join(folder, 'stdout'), 'w');
  await using stderr = await open(errorFile, 'w');
  const [program, ...rest] = hasGnuTime ? ['time', '-f', USAGE_FORMAT, '-o', usageFile, file] : [file];
  const startedAt = Date.now();
  const started = performance.now();
  const child = spawn(program ?? file, [...rest, ...args], {
    env,
    stdio: ['ignore', stdout.fd, stderr.fd],
    signal,
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  const wallMs = performance.now() - started;
  if (code !== 0) {
    const said = await readFile(errorFile, 'utf8');
    throw new Error(`cannot measure "${name} ${args.join(' ')}": exit code ${code}\n${said}`);
  }
  const usage = hasGnuTime ? parseUsage(await readFile(usageFile, 'utf8')) : undefined;
  return { startedAt, endedAt: Date.now(), wallMs, usage };
}

/** Kilobytes, then seconds in the program and in the kernel. */
export function parseUsage(text: string): Usage {
  const [peak = NaN, user = NaN, system = NaN] = text.trim().split(' ').map(Number);
  return { peakBytes: peak * 1024, cpuMs: (user + system) * 1000 };
}

/** How many dependents a program answers with; not measured. */
export async function dependentsFound(
  { name, file, args, countArgs, count }: Contestant,
  { env }: Bench,
  signal: AbortSignal,
): Promise<number> {
  const { code, stdout, stderr } = await run(file, countArgs ?? args, { env }, signal);
  if (code !== 0) throw new Error(`cannot count the answer of ${name}: exit code ${code}\n${stderr}`);
  return count(stdout);
}
