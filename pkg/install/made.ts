import {
  Kinds,
  listAt,
  refOf,
  textAt,
  type GroupKind,
  type KubeObject,
  type Reader,
  type Writer,
} from '#pkg/object';
import type { Change } from './change.ts';

/** Is on all that the controller makes for drains. */
export const MADE = 'rook-deps.io/budget';
const KINDS: readonly GroupKind[] = [{ group: 'policy', kind: 'PodDisruptionBudget' }, Kinds.ConfigMap];

export interface MadePorts {
  readonly reader: Pick<Reader, 'list'>;
  readonly writer: Pick<Writer, 'delete'>;
  report(change: Change): void;
  warn(text: string): void;
}

/** Deletes the budgets that the controller made, and its notes on them. False when not all could be looked at. */
export async function removeMade(ports: MadePorts, dryRun: boolean, signal: AbortSignal): Promise<boolean> {
  const requests = KINDS.map((kind) =>
    ports.reader.list({ kind, detail: 'object', labelSelector: MADE }, signal),
  );
  const listings = await Promise.all(requests);
  for (const object of listings.flatMap(({ items }) => items)) {
    for (const domain of flaggedDomains(object)) {
      ports.warn(`noout is still set in Ceph: run "ceph osd unset-group noout ${domain}"`);
    }
    await ports.writer.delete(refOf(object), { uid: object.metadata.uid, dryRun }, signal);
    ports.report({ object, word: 'deleted' });
  }
  const gaps = listings.flatMap((listing) => listing.gaps);
  for (const { what, reason } of gaps) ports.warn(`not looked at: ${what}: ${reason}`);
  return gaps.length === 0;
}

/** Where noout is set by us: without the controller nobody is left to take it back. */
export function flaggedDomains(object: KubeObject): readonly string[] {
  try {
    const state: unknown = JSON.parse(textAt(object, 'data', 'state.json') ?? '{}');
    return listAt(state, 'noout').flatMap((record) =>
      textAt(record, 'phase') === 'expired' ? [] : (textAt(record, 'domain') ?? []),
    );
  } catch {
    return [];
  }
}
