import type { Io } from '../../cmd/kubectl-rook_deps/io.ts';

/** An Io whose output is kept. */
export interface FakeIo extends Io {
  out(): string;
  err(): string;
}

export interface IoParts extends Partial<Omit<Io, 'print' | 'error' | 'readStdin'>> {
  readonly stdin?: string;
}

/** Neither terminal nor environment, on the evening of 18 November 2026, unless a test says otherwise. */
export function fakeIo({ stdin = '', ...parts }: IoParts = {}): FakeIo {
  const out: string[] = [];
  const err: string[] = [];
  return {
    print: (text) => void out.push(`${text}\n`),
    error: (text) => void err.push(`${text}\n`),
    showProgress: () => undefined,
    readStdin: () => Promise.resolve(stdin),
    ask: () => Promise.resolve(stdin),
    isAttended: false,
    out: () => out.join(''),
    err: () => err.join(''),
    env: {},
    homeDir: '/home/nobody',
    platform: 'linux',
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    columns: 80,
    now: () => Date.parse('2026-11-18T20:00:00Z'),
    ...parts,
  };
}
