import { compareText, isForbidden, type KubeObject, type ResourceTypes } from '#pkg/object';
import type { UsagePorts } from './reconciler.ts';
import { selected, unresolvedMessage } from './selection.ts';
import type { Finding } from './status.ts';
import { kindOf, typeOf } from './target.ts';
import type { Side, Usage } from './usage.ts';
import { isRefused, writeRef } from './usage-writes.ts';

/** What there is to say about a usage. With a failure, no change of an object may tell when that is over. */
export interface Judged {
  readonly usage: Usage;
  readonly finding: Finding;
  readonly failure?: Error | undefined;
}

/** A finding says why a side names nothing yet. */
export type Resolved = { readonly usage: Usage } | Judged;

type SideName = 'of' | 'by';

type Choice = { readonly found: KubeObject } | { readonly message: string; readonly isFailure?: boolean };

/** Selectors are resolved once and written back; from then on the usage names its objects. */
export async function resolve(
  usage: Usage,
  types: ResourceTypes,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Resolved> {
  let current = usage;
  for (const name of ['of', 'by'] as const) {
    const resolved = await resolveSide(current, name, types, ports, signal);
    if ('finding' in resolved) return resolved;
    current = resolved.usage;
  }
  return { usage: current };
}

async function resolveSide(
  usage: Usage,
  name: SideName,
  types: ResourceTypes,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Resolved> {
  const side = usage[name];
  if (!side) return { usage };
  const type = typeOf(side, types);
  if (!type) {
    const message = `spec.${name}: the server doesn't have a kind "${side.kind}" in ${side.apiVersion}`;
    return { usage, finding: { reason: 'UnknownKind', message } };
  }
  if (side.name !== undefined) return { usage };
  const choice = await choose(side, usage, type.namespaced, ports, signal);
  if ('found' in choice) return write(usage, name, choice.found, ports, signal);
  const message = `spec.${name}.resourceSelector: ${choice.message}`;
  const failure = choice.isFailure ? new Error(`cannot resolve ${message}`) : undefined;
  return { usage, finding: { reason: 'SelectorUnresolved', message }, failure };
}

async function choose(
  side: Side,
  usage: Usage,
  isNamespaced: boolean,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Choice> {
  if (!side.selector) return { message: 'neither a name nor a selector is set' };
  const namespace = isNamespaced ? (side.selector.namespace ?? usage.ref.namespace) : undefined;
  const { items, gaps } = await ports.list({ kind: kindOf(side), namespace, detail: 'metadata' }, signal);
  const [gap] = gaps.toSorted((a, b) => compareText(a.what, b.what));
  if (gap) return { message: `cannot list resources matching labels: ${gap.reason}`, isFailure: true };
  const [found] = selected(items, side.selector, usage.object);
  return found ? { found } : { message: unresolvedMessage(side.kind, side.selector) };
}

/** What was found may be refused by our own admission: it closes a circle, or is not ours to delete. */
async function write(
  usage: Usage,
  name: SideName,
  found: KubeObject,
  ports: UsagePorts,
  signal: AbortSignal,
): Promise<Resolved> {
  try {
    const updated = await writeRef(usage, name, found.metadata, ports, signal);
    return updated
      ? { usage: updated }
      : { usage, finding: { reason: 'SelectorUnresolved', message: 'the usage is gone' } };
  } catch (error) {
    if (!isRefused(error)) throw error;
    const message = `spec.${name}.resourceSelector: cannot take "${found.metadata.name}": ${error.message}`;
    const reason = isForbidden(error) ? 'Forbidden' : 'SelectorUnresolved';
    const failure = new Error(`cannot resolve ${message}`, { cause: error });
    return { usage, finding: { reason, message }, failure };
  }
}
