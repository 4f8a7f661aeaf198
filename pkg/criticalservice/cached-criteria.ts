import type { WatchedKinds, WatchState } from '#pkg/cache';
import type { GroupKind, ObjectRef, ResourceTypes } from '#pkg/object';
import {
  metWithoutType,
  standingOfFinalizer,
  standingOfResource,
  unknown,
  type Standing,
} from './criteria.ts';
import type { Criterion } from './critical-service.ts';
import type { Finalized, NamedState } from './projections.ts';
import { refTo, resourceName, typeOf } from './resources.ts';
import { whyUnseen } from './unserved.ts';

/** What watches have told so far. */
export interface CriteriaCache {
  readonly types: ResourceTypes | undefined;
  readonly finalized: WatchedKinds<Finalized, 'finalizer'>;
  readonly named: WatchedKinds<NamedState>;
}

/** How a criterion stands, as far as is known: good for a refusal, and to know when to look. */
export function standingOf(criterion: Criterion, cache: CriteriaCache): Standing {
  const { types } = cache;
  if (!types) return unknown(criterion, 'what the server has is not known yet');
  const type = typeOf(criterion, types);
  if (!type) {
    const why = whyUnseen(criterion, types, cache.named);
    return why ? unknown(criterion, why) : metWithoutType(criterion);
  }
  return criterion.type === 'Finalizer'
    ? ofFinalizer(criterion, type, cache)
    : ofResource(criterion, types, cache);
}

function ofFinalizer(
  criterion: Extract<Criterion, { type: 'Finalizer' }>,
  kind: GroupKind & { readonly plural: string },
  { finalized }: CriteriaCache,
): Standing {
  const state = finalized.state(kind);
  if (state?.kind === 'not-served' && state.isCertain) return metWithoutType(criterion);
  if (state?.kind !== 'synced') {
    const resource = resourceName({ group: kind.group, resource: kind.plural });
    return unknown(criterion, wordsFor(state, resource));
  }
  const { finalizerName } = criterion;
  const count = finalized.store(kind)?.countBy('finalizer', finalizerName) ?? 0;
  const standing = standingOfFinalizer(criterion, count, holderNames(kind, finalizerName, finalized));
  return { ...standing, first: refToHolder(kind, standing.examples[0]) };
}

function refToHolder({ group, kind }: GroupKind, path: string | undefined): ObjectRef | undefined {
  if (path === undefined) return undefined;
  const [name = '', namespace] = path.split('/').reverse();
  return { group, kind, ...(namespace ? { namespace } : {}), name };
}

/** `namespace/name` of each object with a finalizer. */
export function* holderNames(
  kind: GroupKind,
  finalizer: string,
  finalized: CriteriaCache['finalized'],
): Iterable<string> {
  for (const key of finalized.store(kind)?.keysBy('finalizer', finalizer) ?? []) {
    const [namespace, name = ''] = key.split('/').slice(-2);
    yield namespace ? `${namespace}/${name}` : name;
  }
}

function ofResource(
  criterion: Extract<Criterion, { type: 'SpecificResource' }>,
  types: ResourceTypes,
  { named }: CriteriaCache,
): Standing {
  const ref = refTo(criterion, types);
  const look = ref && named.look(ref);
  if (!look) return unknown(criterion, 'it is not watched yet');
  if (look.kind === 'unknown') {
    const resource = resourceName({ ...criterion, resource: typeOf(criterion, types)?.plural ?? '' });
    return unknown(criterion, withGrant(look.reason, resource));
  }
  if (look.kind === 'absent') return standingOfResource(criterion, 'absent');
  const found = look.value.isTerminating ? 'terminating' : 'present';
  return { ...standingOfResource(criterion, found), first: ref };
}

function wordsFor(state: WatchState | undefined, resource: string): string {
  switch (state?.kind) {
    case 'forbidden':
      return withGrant(`forbidden: ${state.reason}`, resource);
    case 'failing':
      return `cannot be watched: ${state.reason}`;
    default:
      return 'not listed yet';
  }
}

function withGrant(reason: string, resource: string): string {
  return reason.startsWith('forbidden')
    ? `${reason} (grant it: kubectl rook-deps install --grant ${resource})`
    : reason;
}
