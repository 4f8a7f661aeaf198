import { UserError } from '#pkg/object';
import type { Args } from './args.ts';
import type { FlagSpec } from './command.ts';

export type DryRun = 'none' | 'client' | 'server';

export const DRY_RUN_FLAG: FlagSpec = {
  type: 'string',
  bare: 'client',
  describe:
    'Must be "none", "server", or "client" (the same as no value). If client, only print what would be sent; if server, send it without storing anything.',
  suggests: ['none', 'client', 'server'],
};

export function dryRunOf(args: Args): DryRun {
  const value = args.text('dry-run') ?? 'none';
  if (value === 'none' || value === 'client' || value === 'server') return value;
  throw new UserError(`error: Invalid dry-run value (${value}). Must be "none", "server", or "client".`);
}

/** What kubectl adds to its result lines. */
export function dryRunSuffix(dryRun: DryRun): string {
  return { none: '', client: ' (dry run)', server: ' (server dry run)' }[dryRun];
}
