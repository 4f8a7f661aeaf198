import {
  CRITICAL_LABEL,
  isMarkedFor,
  parseCriticalService,
  type CriticalService,
} from '#pkg/criticalservice';
import { CANARY_NAME } from '#pkg/install';
import {
  Kinds,
  ROOK_KINDS,
  type Gap,
  type GroupKind,
  type KubeObject,
  type ResourceTypes,
} from '#pkg/object';
import { holdersOf, IN_USE_LABEL, parseUsage, type Usage } from '#pkg/usage';
import type { CheckPorts } from './check.ts';

const COMPOSITE_LABEL = 'rook-deps.io/composite';

/** What may want a label. */
export interface Reasons {
  readonly usages: readonly Usage[];
  readonly services: readonly CriticalService[];
  readonly composites: ReadonlySet<string>;
  /** Namespaces with resources of Rook's: they are marked while anything outside may need those. */
  readonly homes: ReadonlySet<string>;
  readonly types: ResourceTypes | undefined;
  /** What could not be looked at: it might explain anything. */
  readonly gaps: readonly Gap[];
}

export const NO_REASONS: Reasons = {
  usages: [],
  services: [],
  composites: new Set(),
  homes: new Set(),
  types: undefined,
  gaps: [],
};

export async function allReasons({ reader, types }: CheckPorts, signal: AbortSignal): Promise<Reasons> {
  const gaps: Gap[] = [];
  const all = async (...kinds: readonly GroupKind[]): Promise<readonly KubeObject[]> => {
    const listings = await Promise.all(kinds.map((kind) => reader.list({ kind, detail: 'object' }, signal)));
    gaps.push(...listings.flatMap((listing) => listing.gaps));
    return listings.flatMap(({ items }) => items);
  };
  const composites = await all(Kinds.StorageComposite);
  return {
    usages: (await all(Kinds.Usage, Kinds.ClusterUsage)).map(parseUsage),
    services: (await all(Kinds.CriticalService)).map(parseCriticalService),
    composites: new Set(composites.map(({ metadata }) => metadata.name)),
    homes: new Set((await all(...ROOK_KINDS)).flatMap(({ metadata }) => metadata.namespace ?? [])),
    types: await types(signal),
    gaps,
  };
}

/** Whether each label of ours on an object has a reason. */
export function isExplained(object: KubeObject, reasons: Reasons): boolean {
  const { usages, services, composites, homes, types } = reasons;
  const { name, labels = {} } = object.metadata;
  const isHome = object.kind === 'Namespace' && homes.has(name);
  const composite = labels[COMPOSITE_LABEL];
  return (
    (labels[IN_USE_LABEL] === undefined || name === CANARY_NAME || isHome || isUsed(object, usages)) &&
    (labels[CRITICAL_LABEL] === undefined ||
      services.some((service) => types && isMarkedFor(service, object, types))) &&
    (composite === undefined || composites.has(composite))
  );
}

/** A definition was listed without its spec: its name says whose it is. */
function isUsed(object: KubeObject, usages: readonly Usage[]): boolean {
  return object.kind === 'CustomResourceDefinition'
    ? usages.some((usage) => isOfDefinition(usage, object))
    : holdersOf(object, usages).length > 0;
}

function isOfDefinition({ of, ref }: Usage, { metadata: { name } }: KubeObject): boolean {
  const group = name.slice(name.indexOf('.') + 1);
  // With its own definition the usage would go.
  return of.apiVersion.startsWith(`${group}/`) || name === `${ref.kind.toLowerCase()}s.${ref.group}`;
}
