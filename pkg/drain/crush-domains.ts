import type { CrushNode, CrushTree } from '#pkg/ceph';

/** The bucket of a type that each OSD is in. One that is in none, or in several, has no place that could be relied on. */
export function crushDomains(type: string, { nodes }: CrushTree): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = nodes
    .filter((node) => node.type === type)
    .flatMap((bucket) => [...osdsUnder(bucket, byId)].map((id) => [id, bucket.name] as const));
  const places = new Map<number, Set<string>>();
  for (const [id, name] of found) places.set(id, (places.get(id) ?? new Set()).add(name));
  return new Map(
    [...places].flatMap(([id, names]) => {
      const [name, ...others] = names;
      return name === undefined || others.length > 0 ? [] : [[id, name] as const];
    }),
  );
}

/** OSDs have numbers from zero on, buckets below. */
function osdsUnder({ children }: CrushNode, byId: ReadonlyMap<number, CrushNode>): ReadonlySet<number> {
  return new Set(
    children.flatMap((id) => {
      const bucket = byId.get(id);
      if (id >= 0) return [id];
      return bucket ? [...osdsUnder(bucket, byId)] : [];
    }),
  );
}
