import { reportFailure } from '../../cmd/kubectl-rook_deps/failure.ts';
import { runProgram } from '../../cmd/kubectl-rook_deps/program.ts';
import { fakeIo, type IoParts } from './io.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program as `main.ts` does, on words split at spaces. */
export async function run(line: string | readonly string[], parts: IoParts = {}): Promise<Outcome> {
  const argv = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
  const io = fakeIo(parts);
  const code = await runProgram(argv, io, new AbortController().signal).catch((error: unknown) =>
    reportFailure(error, io),
  );
  return { code, out: io.out(), err: io.err() };
}
