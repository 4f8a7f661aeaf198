import { isMainThread } from 'node:worker_threads';
import { reportFailure } from './failure.ts';
import { runProgram } from './program.ts';
import { processIo } from './io.ts';

const INTERRUPTED = 130;

async function main(): Promise<void> {
  const abort = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => abort.abort(new Error(name)));
  // A reader that has seen enough, such as `head`, closes the pipe: that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const io = processIo();
  try {
    process.exitCode = await runProgram(process.argv.slice(2), io, abort.signal);
  } catch (error) {
    process.exitCode = abort.signal.aborted ? INTERRUPTED : reportFailure(error, io);
  }
}

async function thread(): Promise<void> {
  const { serveLooks } = await import('./controller/look-worker.ts');
  await serveLooks();
}

void (isMainThread ? main() : thread());
