import { createHash } from 'node:crypto';
import { keyOf, listAt, type KubeObject, type ResourceTypes } from '#pkg/object';
import type { CriticalService, Criterion, DeletionPolicy, Named } from './critical-service.ts';
import { refTo, typeOf } from './resources.ts';

const MAX_NAME = 63;

export interface NewCriticalService {
  readonly provider: Named;
  /** Of the provider, for the name. */
  readonly kind: string;
  readonly criteria: readonly Criterion[];
  /** Undefined: as it is, or as is usual. */
  readonly deletionPolicy?: DeletionPolicy | undefined;
  readonly replayDeletion?: boolean | undefined;
}

export function newCriticalService(wish: NewCriticalService): KubeObject {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'CriticalService',
    metadata: { name: nameFor(wish) },
    spec: {
      provider: wish.provider,
      criteria: wish.criteria.map(written),
      ...(wish.deletionPolicy ? { deletionPolicy: wish.deletionPolicy } : {}),
      ...(wish.replayDeletion ? { replayDeletion: true } : {}),
    },
  };
}

/** The service that was made for the same provider before, under its name of now or the one of earlier versions. */
export function madeBefore(
  wish: NewCriticalService,
  services: readonly CriticalService[],
  types: ResourceTypes,
): CriticalService | undefined {
  const keyFor = ({ provider }: { readonly provider: Named }): string | undefined => {
    const ref = refTo(provider, types);
    return ref && keyOf(ref);
  };
  const same = services.filter((service) => keyFor(service) === keyFor(wish));
  const named = (name: string): CriticalService | undefined => same.find(({ ref }) => ref.name === name);
  return named(nameFor(wish)) ?? named(earlierNameFor(wish));
}

/**
 * What a wish changes of the spec of a service that is there; undefined when it has all of it. Nothing is taken away: whoever
 * asked for the other criteria still relies on them.
 */
export function additionTo(
  service: CriticalService,
  wish: NewCriticalService,
  types: ResourceTypes,
): Readonly<Record<string, unknown>> | undefined {
  const keyFor = (criterion: Criterion): string => identityOf(criterion, types);
  const known = new Set(service.criteria.map(keyFor));
  const added = wish.criteria.filter((criterion) => !known.has(keyFor(criterion)));
  const { deletionPolicy = service.deletionPolicy, replayDeletion = service.replayDeletion } = wish;
  const before = listAt(service.object, 'spec', 'criteria');
  const change = {
    ...(added.length > 0 ? { criteria: [...before, ...added.map(written)] } : {}),
    ...(deletionPolicy === service.deletionPolicy ? {} : { deletionPolicy }),
    ...(replayDeletion === service.replayDeletion ? {} : { replayDeletion }),
  };
  return Object.keys(change).length > 0 ? change : undefined;
}

/** The same also where one names the kind and the other the plural. */
function identityOf(criterion: Criterion, types: ResourceTypes): string {
  const resource = typeOf(criterion, types)?.plural ?? criterion.resource;
  const what =
    criterion.type === 'Finalizer' ? [criterion.finalizerName] : [criterion.namespace, criterion.name];
  return JSON.stringify([criterion.type, criterion.group, resource, ...what]);
}

function written({ type, ...rest }: Criterion): object {
  return type === 'Finalizer' ? { type, finalizer: rest } : { type, specificResource: rest };
}

/** The same provider twice is one service. Words alone are not enough: where one ends, they do not tell. */
function nameFor({ provider, kind }: NewCriticalService): string {
  const { group, resource, namespace, name } = provider;
  const hash = hashOf([group, resource, namespace, name]);
  const words = plainName(provider, kind).slice(0, MAX_NAME - hash.length - 1);
  return `${words.replace(/-+$/, '')}-${hash}`;
}

/** As it was before: without a hash, where words seemed enough. */
function earlierNameFor(wish: NewCriticalService): string {
  const plain = plainName(wish.provider, wish.kind);
  const isPlain = plain.length <= MAX_NAME && /^[a-z0-9-]+$/.test(wish.provider.name);
  return isPlain ? plain : nameFor(wish);
}

function plainName({ namespace, name }: Named, kind: string): string {
  const parts = [kind.toLowerCase(), ...(namespace ? [namespace] : []), name];
  return parts.join('-').replaceAll(/[^a-z0-9-]/g, '-');
}

function hashOf(identity: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 8);
}
