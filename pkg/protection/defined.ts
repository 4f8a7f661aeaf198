import { textAt, type GroupKind, type Listing, type ListRequest } from '#pkg/object';

export interface DefinitionPorts {
  list(request: ListRequest, signal: AbortSignal): Promise<Listing>;
}

const DEFINITION = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };

/** Whether a kind is defined, and so may have objects, though the server does not serve it. Unknown counts as defined. */
export async function isDefined(
  { group, kind }: GroupKind,
  ports: DefinitionPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const { items, gaps } = await ports.list({ kind: DEFINITION, detail: 'object' }, signal);
  return (
    gaps.length > 0 ||
    items.some(
      (item) => textAt(item, 'spec', 'group') === group && textAt(item, 'spec', 'names', 'kind') === kind,
    )
  );
}
