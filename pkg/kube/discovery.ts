import { KNOWN_TYPES, listAt, ResourceTypes, textAt, type ResourceType } from '#pkg/object';
import { ApiError } from './api-error.ts';
import { CORE_TYPES } from './core-types.ts';
import type { Transport } from './transport.ts';

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** Asks the server for its types: one request, or on old servers one more for each API group we know. */
export async function discover(transport: Transport, signal: AbortSignal): Promise<ResourceTypes> {
  const answer = await transport.getJson('/apis', { accept: AGGREGATED }, signal);
  const types =
    textAt(answer, 'kind') === 'APIGroupDiscoveryList'
      ? aggregatedTypes(answer)
      : await typesOfKnownGroups(transport, answer, signal);
  return new ResourceTypes([...CORE_TYPES, ...types]);
}

/** Versions come in the server's order of preference; a kind is taken from the first that has it. */
function aggregatedTypes(answer: unknown): readonly ResourceType[] {
  const types: ResourceType[] = [];
  for (const group of listAt(answer, 'items')) {
    const name = textAt(group, 'metadata', 'name');
    if (!name) continue;
    for (const version of listAt(group, 'versions')) {
      for (const resource of listAt(version, 'resources')) {
        const type = resourceType(name, textAt(version, 'version'), {
          plural: textAt(resource, 'resource'),
          kind: textAt(resource, 'responseKind', 'kind'),
          singular: textAt(resource, 'singularResource'),
          shortNames: listAt(resource, 'shortNames'),
          namespaced: textAt(resource, 'scope') === 'Namespaced',
        });
        if (type) types.push(type);
      }
    }
  }
  return types;
}

async function typesOfKnownGroups(
  transport: Transport,
  groupList: unknown,
  signal: AbortSignal,
): Promise<readonly ResourceType[]> {
  const known = new Set(KNOWN_TYPES.map(({ group }) => group));
  const groups = listAt(groupList, 'groups').filter((group) => known.has(textAt(group, 'name') ?? ''));
  const found = await Promise.all(groups.map((group) => typesOfGroup(transport, group, signal)));
  return found.flat();
}

async function typesOfGroup(
  transport: Transport,
  group: unknown,
  signal: AbortSignal,
): Promise<readonly ResourceType[]> {
  const name = textAt(group, 'name') ?? '';
  const version =
    textAt(group, 'preferredVersion', 'version') ?? textAt(listAt(group, 'versions')[0], 'version') ?? '';
  const list = await transport.getJson(`/apis/${name}/${version}`, {}, signal).catch((error: unknown) => {
    // An API whose own server is down, or gone meanwhile, is as good as absent: kubectl goes on without it, too.
    if (error instanceof ApiError && !error.isUnreachable && error.status !== 401) return undefined;
    throw error;
  });
  return listAt(list, 'resources')
    .map((resource) =>
      resourceType(name, version, {
        plural: textAt(resource, 'name'),
        kind: textAt(resource, 'kind'),
        singular: textAt(resource, 'singularName'),
        shortNames: listAt(resource, 'shortNames'),
        namespaced:
          resource !== null &&
          typeof resource === 'object' &&
          'namespaced' in resource &&
          resource.namespaced === true,
      }),
    )
    .filter((type) => type !== undefined);
}

interface Names {
  readonly plural: string | undefined;
  readonly kind: string | undefined;
  readonly singular: string | undefined;
  readonly shortNames: readonly unknown[];
  readonly namespaced: boolean;
}

function resourceType(group: string, version: string | undefined, names: Names): ResourceType | undefined {
  const { plural, kind, singular, shortNames, namespaced } = names;
  // `pods/status` and its like cannot be listed.
  if (!version || !plural || !kind || plural.includes('/')) return undefined;
  return {
    group,
    version,
    kind,
    plural,
    singular: singular ?? kind.toLowerCase(),
    shortNames: shortNames.filter((name) => typeof name === 'string'),
    namespaced,
  };
}
