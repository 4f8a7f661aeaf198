import type { CephRunner } from './runner.ts';

/** Lets a number of tasks run at a time. */
export interface Bound {
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Asks no more at a time than the bound allows: each question is a process somewhere. */
export function boundedRunner(runner: CephRunner, bound: Bound): CephRunner {
  return { run: (command, signal) => bound.run(() => runner.run(command, signal), signal) };
}
