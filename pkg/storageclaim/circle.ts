import { groupOf, Kinds, listAt, recordAt, textAt, type KubeObject, type ObjectRef } from '#pkg/object';

export interface CirclePorts {
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
}

const { group, kind: COMPOSITE_KIND } = Kinds.StorageComposite;

/** Whether what a template makes claims a composite, by itself or by what comes with it. */
export async function leadsTo(
  composite: string,
  template: unknown,
  ports: CirclePorts,
  signal: AbortSignal,
): Promise<boolean> {
  const seen = new Set<string>();
  const pending = [template];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (groupOf(textAt(next, 'apiVersion') ?? '') !== group) continue;
    if (textAt(next, 'kind') === COMPOSITE_KIND) pending.push(...templatesOf(next));
    if (textAt(next, 'kind') !== Kinds.StorageClaim.kind) continue;
    const name = textAt(next, 'spec', 'compositeRef', 'name') ?? '';
    if (name === composite) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    pending.push(...templatesOf(await ports.get({ group, kind: COMPOSITE_KIND, name }, signal)));
  }
  return false;
}

function templatesOf(composite: unknown): readonly unknown[] {
  return listAt(composite, 'spec', 'resources').map((entry) => recordAt(entry, 'template'));
}
