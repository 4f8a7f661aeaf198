import { keyOf, type ObjectKey, type ObjectRef, type ResourceTypes } from '#pkg/object';
import { DEFINITION, FINALIZER, isServiceKind, type CriticalService } from './critical-service.ts';
import { namespaceOf, refTo, typeOf } from './resources.ts';

/**
 * Why a service could never be satisfied: something it waits for waits, by itself or through others, for its provider.
 * Undefined when there is no such circle.
 */
export function deadlockOf(
  service: CriticalService,
  others: readonly CriticalService[],
  types: ResourceTypes,
): string | undefined {
  const all = [service, ...others.filter(({ ref }) => keyOf(ref) !== keyOf(service.ref))];
  const goals = new Set(keptBy(service, types).map(keyOf));
  const cameFrom = new Map<ObjectKey, readonly ObjectRef[]>();
  const pending = awaitedBy(service, types).map((ref) => [ref]);
  for (let path = pending.shift(); path; path = pending.shift()) {
    const at = path.at(-1);
    if (!at || cameFrom.has(keyOf(at))) continue;
    cameFrom.set(keyOf(at), path);
    if (goals.has(keyOf(at))) return wordsFor(service, path, types);
    for (const other of all) {
      if (!other.isReleased && keptBy(other, types).some((ref) => keyOf(ref) === keyOf(at)))
        for (const next of awaitedBy(other, types)) pending.push([...path, next]);
    }
  }
  return undefined;
}

/** What cannot go before the criteria are met; the service itself goes last of all, but for its definition. */
function keptBy(service: CriticalService, types: ResourceTypes): readonly ObjectRef[] {
  return [refTo(service.provider, types), namespaceOf(service), service.ref, DEFINITION].filter(
    (ref) => ref !== undefined,
  );
}

function awaitedBy({ criteria, ref }: CriticalService, types: ResourceTypes): readonly ObjectRef[] {
  return criteria.flatMap((criterion) => {
    if (criterion.type === 'SpecificResource') return refTo(criterion, types) ?? [];
    // It has that finalizer itself.
    const type = criterion.finalizerName === FINALIZER ? typeOf(criterion, types) : undefined;
    return type && isServiceKind(type) ? ref : [];
  });
}

function wordsFor(service: CriticalService, path: readonly ObjectRef[], types: ResourceTypes): string {
  const start = refTo(service.provider, types);
  const names = [...(start ? [start] : []), ...path].map(({ kind, name }) => `${kind}/${name}`);
  return `these would wait for each other in a circle, and none could ever be deleted: ${names.join(' → ')}`;
}
