import type { KubeObject } from '#pkg/object';
import type { Side, Usage } from './usage.ts';

const MAX_NAMED = 20;

/** The words of a refusal, with every blocker. */
export function denialLines(object: KubeObject, holders: readonly Usage[]): readonly string[] {
  const { name } = object.metadata;
  const named = holders.slice(0, MAX_NAMED).map((usage) => `- ${describe(usage)}`);
  const left = holders.length - named.length;
  return [
    `${object.kind} "${name}" is in use by ${holders.length} usage${holders.length === 1 ? '' : 's'}:`,
    ...named,
    ...(left > 0 ? [`- +${left} more`] : []),
  ];
}

/** One line on a usage: which, by whom, why. */
export function describe({ ref, by, reason, of }: Usage): string {
  const name = `${ref.kind} "${ref.namespace ? `${ref.namespace}/` : ''}${ref.name}"`;
  const side = ({ kind, name: its = '<unresolved>', namespace }: Side): string =>
    `${kind}/${its}${namespace && namespace !== ref.namespace ? ` in namespace ${namespace}` : ''}`;
  const used = side(of);
  const using = by ? ` by ${side(by)}` : '';
  return `${name} of ${used}${using}${reason ? ` with reason: ${JSON.stringify(reason)}` : ''}`;
}

/** For the DETAILS column. */
export function details({ of, by, reason }: Usage): string {
  if (reason) return reason;
  const where = of.namespace ? ` in namespace ${of.namespace}` : '';
  return by ? `${by.kind}/${by.name ?? '?'} uses ${of.kind}/${of.name ?? '?'}${where}` : 'undefined';
}
