import { UserError } from '#pkg/object';
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
    if (abort.signal.aborted) process.exitCode = INTERRUPTED;
    else if (error instanceof UserError) {
      io.error(error.message);
      process.exitCode = error.exitCode;
    } else {
      io.error(`error: internal error: ${error instanceof Error ? error.message : String(error)}`);
      if (process.env['ROOK_DEPS_DEBUG']) io.error(error instanceof Error ? (error.stack ?? '') : '');
      process.exitCode = 1;
    }
  }
}

void main();
