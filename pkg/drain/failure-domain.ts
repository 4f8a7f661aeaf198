import type { CephPool, CrushRule } from '#pkg/ceph';
import { fieldAt, listAt, textAt, type KubeObject } from '#pkg/object';

/** From small to large, as Ceph's default hierarchy and Rook know them. */
const ORDER = ['host', 'chassis', 'rack', 'row', 'pdu', 'pod', 'room', 'datacenter', 'zone', 'region'];

/** Where nothing says otherwise, and the smallest that a node can be drained in. */
export const STANDARD_DOMAIN = 'host';

/**
 * The lowest type of failure domain that any pool's rule enforces: the most that may go at once without a pool losing
 * more than one copy. A rule that spreads over OSDs alone leaves nothing larger than a host to protect.
 */
export function enforcedDomain(pools: readonly CephPool[], rules: readonly CrushRule[]): string {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const types = pools.flatMap(({ crushRule }) => {
    const rule = byId.get(crushRule);
    return [rule ? lowest(chosenTypes(rule)) : STANDARD_DOMAIN];
  });
  return lowest(types);
}

/** Each choice on the way down spreads the copies; the smallest of them is what two copies may still share. */
function chosenTypes({ steps }: CrushRule): readonly string[] {
  return steps.filter(({ op }) => op.startsWith('choose')).flatMap(({ type }) => type ?? []);
}

/** The same from what resources ask for: second best, while Ceph does not answer. */
export function requestedDomain(resources: readonly KubeObject[]): string {
  return lowest(
    resources.flatMap((resource) => poolSpecs(resource).map((spec) => textAt(spec, 'failureDomain') ?? '')),
  );
}

const POOLS_OF_ROOK = ['CephBlockPool', 'CephFilesystem', 'CephObjectStore'];

/**
 * The same as Rook works it out, which does not look at zones, nor at pools that leave it open or to the OSD. Undefined where
 * it has no pool to work it out from, and does nothing.
 */
export function rooksDomain(resources: readonly KubeObject[]): string | undefined {
  const own = resources.filter(({ kind }) => POOLS_OF_ROOK.includes(kind));
  if (own.length === 0) return undefined;
  const types = own.flatMap((resource) =>
    poolSpecs(resource).flatMap((spec) => textAt(spec, 'failureDomain') ?? []),
  );
  const found = lowest(types.filter((type) => type !== 'osd' && type !== ''));
  // The largest of all it takes for none.
  return found === ORDER.at(-1) ? STANDARD_DOMAIN : found;
}

function poolSpecs(resource: KubeObject): readonly unknown[] {
  const { spec } = resource;
  switch (resource.kind) {
    case 'CephBlockPool':
      return [spec];
    case 'CephFilesystem':
      return [fieldAt(spec, 'metadataPool'), ...listAt(spec, 'dataPools')];
    case 'CephObjectStore':
    case 'CephObjectZone':
      return [fieldAt(spec, 'metadataPool'), fieldAt(spec, 'dataPool')].filter((pool) => pool !== undefined);
    default:
      return [];
  }
}

/** An empty one means the standard; a type that nobody knows is none. */
function lowest(types: readonly string[]): string {
  const known = types
    .map((type) => (type === '' ? STANDARD_DOMAIN : type))
    .map((type) => ORDER.indexOf(type));
  const found = known.filter((rank) => rank >= 0);
  // Below a host there is only the OSD, which no drain can spare.
  const isBelow = types.includes('osd') || found.length === 0;
  return (isBelow ? undefined : ORDER[Math.min(...found)]) ?? STANDARD_DOMAIN;
}
