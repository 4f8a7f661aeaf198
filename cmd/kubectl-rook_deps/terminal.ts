import type { Style, Tone } from '#pkg/render';
import type { Args } from './args.ts';
import type { Io } from './io.ts';

const COLOURS: Readonly<Record<Tone, string>> = {
  good: '32',
  bad: '31',
  unsure: '33',
  quiet: '90',
  strong: '1',
};
const BORDERS: Readonly<Partial<Record<Tone, string>>> = { good: 'green', bad: 'red', unsure: 'yellow' };

/** What standard output can show: colour by kubectl's rule, a box only on a terminal. */
export async function styleOf(args: Args, io: Io): Promise<Style> {
  const coloured = hasColour(args, io);
  const unicode = !args.isSet('ascii') && isUtf8(io);
  const paint = (tone: Tone, text: string): string =>
    coloured ? `\u001b[${COLOURS[tone]}m${text}\u001b[0m` : text;
  if (!io.stdoutIsTerminal) return { unicode, paint };
  const { default: boxen } = await import('boxen');
  const box = (text: string, tone: Tone): string =>
    boxen(text, {
      padding: { left: 1, right: 1, top: 0, bottom: 0 },
      borderStyle: unicode ? 'round' : 'classic',
      ...(coloured && BORDERS[tone] ? { borderColor: BORDERS[tone] } : {}),
    });
  return { unicode, paint, box, width: io.columns };
}

function hasColour(args: Args, { stdoutIsTerminal, env, platform }: Io): boolean {
  const choice = args.text('color') ?? 'auto';
  if (choice !== 'auto') return choice === 'always';
  if (!stdoutIsTerminal || env['TERM'] === 'dumb' || env['NO_COLOR'] !== undefined) return false;
  return platform !== 'win32' || env['WT_SESSION'] !== undefined;
}

/** Pipes get Unicode too, unless the locale says otherwise; without any locale a machine is asked, not a person. */
function isUtf8({ env, platform, stdoutIsTerminal }: Io): boolean {
  if (platform === 'win32') return env['WT_SESSION'] !== undefined || !stdoutIsTerminal;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  if (!locale) return platform === 'darwin' || !stdoutIsTerminal;
  return /utf-?8/i.test(locale);
}
