import { isMainThread } from 'node:worker_threads';
import { runProgram } from './program.ts';
import { processIo, type Io } from './io.ts';

const INTERRUPTED = 130;

async function main(): Promise<void> {
  const abort = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => abort.abort(new Error(name)));
  // A reader that has seen enough, such as `head`, closes the pipe: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const io = processIo();
  try {
    process.exitCode = await runProgram(process.argv.slice(2), io, abort.signal);
    // Nothing that still runs, such as a program that gives credentials, may keep a shell waiting.
    if (process.argv[2] === '__complete') process.stdout.write('', () => process.exit());
  } catch (error) {
    process.exitCode = abort.signal.aborted ? INTERRUPTED : await report(error, io);
  }
}

/** Loaded only now: most calls do not fail. */
async function report(error: unknown, io: Io): Promise<number> {
  return (await import('./failure.ts')).reportFailure(error, io);
}

async function thread(): Promise<void> {
  const { serveLooks } = await import('./controller/look-worker.ts');
  await serveLooks();
}

void (isMainThread ? main() : thread());
