/** The programs of Ceph that are asked. */
export type CephProgram = 'ceph' | 'rados' | 'radosgw-admin' | 'rbd';

export interface CephCommand {
  readonly program: CephProgram;
  /** Holds no key: others see the arguments of a process. */
  readonly args: readonly string[];
  readonly timeoutMs: number;
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A way to run the programs of Ceph against one cluster. */
export interface CephRunner {
  /** How it went, whatever the exit code. Throws CephSilent when no answer came. */
  run(command: CephCommand, signal: AbortSignal): Promise<Finished>;
}

/** No answer came: Ceph was not reached, or not in time. It says nothing about what is there. */
export class CephSilent extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CephSilent';
  }
}

/** Ceph answered, and refused. */
export class CephRefused extends Error {
  /** The exit code, which is an error number of Linux for most commands. */
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.name = 'CephRefused';
    this.code = code;
  }
}

/** Ceph answered with something that we cannot read. */
export class CephUnreadable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CephUnreadable';
  }
}

/** Whether Ceph is to blame, and not a bug or an abort. */
export function isCephFailure(error: unknown): error is Error {
  return error instanceof CephSilent || error instanceof CephRefused || error instanceof CephUnreadable;
}

/** A command as a person would type it, without the flags that every command has. */
export function commandLine({ program, args }: CephCommand): string {
  return [program, ...args].join(' ');
}

/** Lets `run` last no longer than the command allows; a late answer is silence. */
export async function withinLimit(
  command: CephCommand,
  signal: AbortSignal,
  run: (limit: AbortSignal) => Promise<Finished>,
): Promise<Finished> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), command.timeoutMs);
  try {
    return await run(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.signal.aborted) throw error;
    const seconds = Math.round(command.timeoutMs / 100) / 10;
    throw new CephSilent(`"${commandLine(command)}" had no answer within ${seconds} s`, error);
  } finally {
    clearTimeout(timer);
  }
}
