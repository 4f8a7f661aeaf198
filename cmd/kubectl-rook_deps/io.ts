import { homedir } from 'node:os';

/** What a command may touch of the world around it. */
export interface Io {
  /** A line or more of the command's result. */
  print(text: string): void;
  /** Anything that is not the result: warnings, notes, errors. */
  error(text: string): void;
  /** A line on a terminal that the next text replaces; undefined takes it away. Elsewhere nothing is shown. */
  showProgress(line: string | undefined): void;
  readStdin(): Promise<string>;
  /** Asks a person and returns the line typed in answer; only where `isAttended`. */
  ask(question: string, signal: AbortSignal): Promise<string>;
  /** Whether a person sees questions and can answer them. */
  readonly isAttended: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly platform: string;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly columns: number;
  now(): number;
}

export function processIo(): Io {
  let isShowing = false;
  const clear = (): void => {
    if (isShowing) process.stderr.write('\r\u001b[2K');
    isShowing = false;
  };
  return {
    print: (text) => {
      clear();
      process.stdout.write(`${text}\n`);
    },
    error: (text) => {
      clear();
      process.stderr.write(`${text}\n`);
    },
    showProgress: (line) => {
      if (process.stderr.isTTY !== true) return;
      clear();
      if (line === undefined) return;
      process.stderr.write(line.slice(0, (process.stderr.columns ?? 80) - 1));
      isShowing = true;
    },
    readStdin,
    ask,
    isAttended: process.stdin.isTTY === true && process.stderr.isTTY === true,
    env: process.env,
    homeDir: process.env['HOME'] ?? homedir(),
    platform: process.platform,
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderrIsTerminal: process.stderr.isTTY === true,
    columns: process.stdout.columns ?? 80,
    now: Date.now,
  };
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
}
