import { describe, expect, test } from 'vitest';
import { fakeIo, type IoParts } from '#test/fakes/io.ts';
import { Args } from './args.ts';
import { styleOf } from './terminal.ts';
import { warn } from './wiring.ts';

const TERMINAL: IoParts = { stdoutIsTerminal: true, env: { TERM: 'xterm', LANG: 'en_US.UTF-8' } };
const env = (more: Record<string, string>): IoParts => ({ ...TERMINAL, env: { ...TERMINAL.env, ...more } });

async function isColoured(flags: Record<string, unknown>, parts: IoParts): Promise<boolean> {
  const { paint } = await styleOf(new Args([], flags), fakeIo(parts));
  return paint('bad', 'x') === '\u001b[31mx\u001b[0m';
}

describe('colour', () => {
  const rows: { name: string; flags?: Record<string, unknown>; io: IoParts; coloured: boolean }[] = [
    { name: 'a terminal', io: TERMINAL, coloured: true },
    { name: 'a pipe', io: { ...TERMINAL, stdoutIsTerminal: false }, coloured: false },
    { name: 'a terminal where only stderr is one', io: { stderrIsTerminal: true }, coloured: false },
    { name: 'NO_COLOR', io: env({ NO_COLOR: '1' }), coloured: false },
    { name: 'an empty NO_COLOR', io: env({ NO_COLOR: '' }), coloured: false },
    { name: 'TERM=dumb', io: env({ TERM: 'dumb' }), coloured: false },
    { name: '--color=always in a pipe', flags: { color: 'always' }, io: {}, coloured: true },
    {
      name: '--color=always over NO_COLOR',
      flags: { color: 'always' },
      io: env({ NO_COLOR: '1' }),
      coloured: true,
    },
    { name: '--color=never', flags: { color: 'never' }, io: TERMINAL, coloured: false },
    { name: 'an old console of Windows', io: { ...TERMINAL, platform: 'win32' }, coloured: false },
    {
      name: 'the Windows Terminal',
      io: { ...env({ WT_SESSION: 'x' }), platform: 'win32' },
      coloured: true,
    },
  ];
  test.for(rows)('is $coloured for $name', async ({ flags = {}, io, coloured }) => {
    expect(await isColoured(flags, io)).toBe(coloured);
  });
});

describe('line drawing', () => {
  const rows: { name: string; flags?: Record<string, unknown>; io: IoParts; unicode: boolean }[] = [
    { name: 'a UTF-8 locale', io: TERMINAL, unicode: true },
    { name: 'a terminal of another locale', io: env({ LANG: 'de_DE.ISO-8859-1' }), unicode: false },
    { name: 'LC_ALL over LANG', io: env({ LC_ALL: 'C' }), unicode: false },
    { name: 'a terminal without a locale', io: { stdoutIsTerminal: true }, unicode: false },
    { name: 'a pipe without a locale', io: {}, unicode: true },
    { name: '--ascii', flags: { ascii: true }, io: TERMINAL, unicode: false },
  ];
  test.for(rows)('is $unicode for $name', async ({ flags = {}, io, unicode }) => {
    expect((await styleOf(new Args([], flags), fakeIo(io))).unicode).toBe(unicode);
  });
});

describe('the box', () => {
  const box = async (flags: Record<string, unknown>, io: IoParts): Promise<string | undefined> =>
    (await styleOf(new Args([], flags), fakeIo(io))).box?.('x', 'bad');

  test('is drawn on a terminal only', async () => {
    expect(await box({}, { ...TERMINAL, stdoutIsTerminal: false })).toBeUndefined();
    expect(await box({ color: 'never' }, TERMINAL)).toBe('╭───╮\n│ x │\n╰───╯');
  });

  test('is ASCII where that is asked for', async () => {
    expect(await box({ color: 'never', ascii: true }, TERMINAL)).toMatch(/^[ -~\n]+$/);
  });
});

describe('a warning', () => {
  const warned = (parts: IoParts, text = 'beware'): string => {
    const io = fakeIo(parts);
    warn(io, text);
    expect(io.out()).toBe('');
    return io.err();
  };

  test('goes to standard error, plain in a pipe', () => {
    expect(warned({ stdoutIsTerminal: true })).toBe('Warning: beware\n');
  });

  test('is coloured where standard error is a terminal', () => {
    expect(warned({ stderrIsTerminal: true })).toBe('\u001b[33;1mWarning:\u001b[0m beware\n');
    expect(warned({ stderrIsTerminal: true, env: { NO_COLOR: '' } })).toBe('Warning: beware\n');
  });

  test('does not write to the screen by itself', () => {
    expect(warned({}, 'a\u001b[2Jb')).toBe('Warning: a^[[2Jb\n');
  });
});
