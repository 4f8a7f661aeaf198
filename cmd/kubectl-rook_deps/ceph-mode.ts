import { UserError } from '#pkg/object';
import type { Args } from './args.ts';
import type { FlagSpec } from './command.ts';

/** Whether a deletion waits for what only Ceph can tell. */
export type CephMode = 'require' | 'prefer' | 'off';

const MODES: readonly string[] = ['require', 'prefer', 'off'] satisfies readonly CephMode[];

export const CEPH_MODE_FLAG: FlagSpec = {
  type: 'string',
  describe:
    'Whether to ask Ceph before a deletion is allowed: require (an answer, the default), prefer (one, and do without), off.',
  suggests: MODES,
};

export function cephModeIn(args: Args): CephMode | undefined {
  const mode = args.text('ceph');
  if (mode === undefined || MODES.includes(mode)) return mode as CephMode | undefined;
  throw new UserError(
    `error: invalid argument "${mode}" for "--ceph" flag: must be one of: ${MODES.join(', ')}`,
  );
}
