import { UserError } from '#pkg/object';
import { printable } from '#pkg/render';
import type { Io } from './io.ts';

/** Says on standard error what went wrong, and returns the exit code. A stack is shown to developers only. */
export function reportFailure(error: unknown, io: Io): number {
  if (error instanceof UserError) {
    io.error(failureLines(error).join('\n'));
    return error.exitCode;
  }
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  io.error(printable(`error: internal error: ${message}`));
  if (io.env['ROOK_DEPS_DEBUG']) io.error(stack);
  return 1;
}

/** The words of an error, safe for a terminal. */
export function failureLines({ message }: Error): readonly string[] {
  return message.split('\n').map(printableLine);
}

/** Suggestions are indented with a tab. */
function printableLine(line: string): string {
  return line.startsWith('\t') ? `\t${printable(line.slice(1))}` : printable(line);
}
