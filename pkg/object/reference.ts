/** A kind without its version: what a reference means does not change when an API is promoted. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** Names one object. No version, no UID: this is how objects refer to each other. */
export interface ObjectRef extends GroupKind {
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

declare const brand: unique symbol;

/** A reference as a map key. */
export type ObjectKey = string & { readonly [brand]: 'ObjectKey' };

/** A kind as a map key. */
export type KindKey = string & { readonly [brand]: 'KindKey' };

/** Joined with `/`, which no part may contain; an empty part keeps its place, so no two references share a key. */
export function keyOf(ref: ObjectRef): ObjectKey {
  return `${ref.group}/${ref.kind}/${ref.namespace ?? ''}/${ref.name}` as ObjectKey;
}

export function kindKey({ group, kind }: GroupKind): KindKey {
  return `${group}/${kind}` as KindKey;
}

export function sameKind(a: GroupKind, b: GroupKind): boolean {
  return a.kind === b.kind && a.group === b.group;
}

/** The group of an apiVersion: `ceph.rook.io/v1` → `ceph.rook.io`, `v1` → the core group, ``. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Plain code-unit order: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function compareRefs(a: ObjectRef, b: ObjectRef): number {
  return (
    compareText(a.kind, b.kind) ||
    compareText(a.group, b.group) ||
    compareText(a.namespace ?? '', b.namespace ?? '') ||
    compareText(a.name, b.name)
  );
}
