import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** How a finished process ended, and all it said. */
export interface Finished {
  /** 128 + the signal's number is not computed: a process ended by a signal has code -1. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
}

/** Runs a program to its end without a shell; rejects only if it cannot be started or the signal aborts it. */
export async function run(
  file: string,
  args: readonly string[],
  options: RunOptions,
  signal: AbortSignal,
): Promise<Finished> {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? -1));
  });
  // A program may end without reading what it is given.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** Standard output of a program that must succeed. */
export async function output(
  file: string,
  args: readonly string[],
  options: RunOptions,
  signal: AbortSignal,
): Promise<string> {
  const { code, stdout, stderr } = await run(file, args, options, signal);
  if (code !== 0) {
    throw new Error(`cannot run "${file} ${args.join(' ')}": exit code ${code}\n${stderr || stdout}`);
  }
  return stdout;
}
