import type { KubeObject } from '#pkg/object';
import type { Usage } from './usage.ts';

const MAX_NAMED = 20;

/** The words of a refusal: every blocker, and the command that tells more. */
export function denialMessage(object: KubeObject, holders: readonly Usage[]): readonly string[] {
  const { name, namespace } = object.metadata;
  const named = holders.slice(0, MAX_NAMED).map((usage) => `- ${describe(usage)}`);
  const left = holders.length - named.length;
  const scope = namespace ? ` -n ${namespace}` : '';
  return [
    `${object.kind} "${name}" is in use by ${holders.length} usage${holders.length === 1 ? '' : 's'}:`,
    ...named,
    ...(left > 0 ? [`- +${left} more`] : []),
    `See: kubectl rook-deps why ${object.kind.toLowerCase()}/${name}${scope}`,
  ];
}

/** One line on a usage: which, by whom, why. */
export function describe({ ref, by, reason, of }: Usage): string {
  const name = `${ref.kind} "${ref.namespace ? `${ref.namespace}/` : ''}${ref.name}"`;
  const used = `${of.kind}/${of.name ?? '<unresolved>'}`;
  const using = by ? ` by ${by.kind}/${by.name ?? '<unresolved>'}` : '';
  return `${name} of ${used}${using}${reason ? ` with reason: ${JSON.stringify(reason)}` : ''}`;
}

/** For the DETAILS column. */
export function details({ of, by, reason }: Usage): string {
  if (reason) return reason;
  const where = of.namespace ? ` in namespace ${of.namespace}` : '';
  return by ? `${by.kind}/${by.name ?? '?'} uses ${of.kind}/${of.name ?? '?'}${where}` : 'undefined';
}
