import { UserError } from '#pkg/object';
import type { Args } from './args.ts';
import type { FlagSpec } from './command.ts';

export function outputFlag(formats: readonly string[]): FlagSpec {
  return {
    type: 'string',
    alias: 'o',
    describe: `Output format. One of: (${formats.join(', ')}).`,
    suggests: formats,
  };
}

/** The format asked for, or a refusal in kubectl's words. */
export function outputFormat(args: Args, formats: readonly string[]): string | undefined {
  const format = args.text('output');
  if (!format) return undefined;
  if (formats.includes(format)) return format;
  throw new UserError(
    `error: unable to match a printer suitable for the output format "${format}", allowed formats are: ${formats.toSorted().join(',')}`,
  );
}

/** One document, as JSON or YAML. */
export async function serialized(document: unknown, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return JSON.stringify(document, undefined, 4);
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd();
}
