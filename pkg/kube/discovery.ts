import { isTrueAt, KNOWN_TYPES, listAt, ResourceTypes, textAt, type ResourceType } from '#pkg/object';
import { isAnswer } from './api-error.ts';
import { CORE_TYPES } from './core-types.ts';
import type { Transport } from './transport.ts';

const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** What a server told: its types, and by group why it could not tell all. */
interface Told {
  readonly types: readonly ResourceType[];
  readonly failures: ReadonlyMap<string, string>;
}

/** Asks the server for its types: one request, or on old servers one more for each API group we know. */
export async function discover(transport: Transport, signal: AbortSignal): Promise<ResourceTypes> {
  const answer = await transport.getJson('/apis', { accept: AGGREGATED }, signal);
  const { types, failures } =
    textAt(answer, 'kind') === 'APIGroupDiscoveryList'
      ? aggregatedTypes(answer)
      : await typesOfKnownGroups(transport, answer, signal);
  // What a broken group should have is asked for all the same: then its server says itself what is wrong.
  const assumed = KNOWN_TYPES.filter(({ group }) => failures.has(group));
  return new ResourceTypes([...CORE_TYPES, ...types], { failures, assumed });
}

/** Versions come in the server's order of preference; a kind is taken from the first that has it. */
function aggregatedTypes(answer: unknown): Told {
  const types: ResourceType[] = [];
  const failures = new Map<string, string>();
  for (const group of listAt(answer, 'items')) {
    const name = textAt(group, 'metadata', 'name');
    if (!name) continue;
    for (const version of listAt(group, 'versions')) {
      const groupVersion = `${name}/${textAt(version, 'version') ?? ''}`;
      if (textAt(version, 'freshness') === 'Stale')
        failures.set(name, failureText(groupVersion, `stale GroupVersion discovery: ${groupVersion}`));
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
  return { types, failures };
}

async function typesOfKnownGroups(
  transport: Transport,
  groupList: unknown,
  signal: AbortSignal,
): Promise<Told> {
  const known = new Set(KNOWN_TYPES.map(({ group }) => group));
  const groups = listAt(groupList, 'groups').filter((group) => known.has(textAt(group, 'name') ?? ''));
  const found = await Promise.all(groups.map((group) => typesOfGroup(transport, group, signal)));
  return {
    types: found.flatMap(({ types }) => types),
    failures: new Map(found.flatMap(({ failures }) => [...failures])),
  };
}

async function typesOfGroup(transport: Transport, group: unknown, signal: AbortSignal): Promise<Told> {
  const name = textAt(group, 'name') ?? '';
  const version =
    textAt(group, 'preferredVersion', 'version') ?? textAt(listAt(group, 'versions')[0], 'version') ?? '';
  try {
    const list = await transport.getJson(`/apis/${name}/${version}`, {}, signal);
    return { types: listedTypes(name, version, list), failures: new Map() };
  } catch (error) {
    if (!isAnswer(error) || error.status === 401) throw error;
    // Gone meanwhile is absent. Any other error hides what is there, and kubectl goes on without it, too.
    const failure = [name, failureText(`${name}/${version}`, error.serverMessage)] as const;
    return { types: [], failures: new Map(error.status === 404 ? [] : [failure]) };
  }
}

/** As kubectl puts it. */
function failureText(groupVersion: string, message: string): string {
  return `unable to retrieve the complete list of server APIs: ${groupVersion}: ${message}`;
}

function listedTypes(name: string, version: string, list: unknown): readonly ResourceType[] {
  return listAt(list, 'resources')
    .map((resource) =>
      resourceType(name, version, {
        plural: textAt(resource, 'name'),
        kind: textAt(resource, 'kind'),
        singular: textAt(resource, 'singularName'),
        shortNames: listAt(resource, 'shortNames'),
        namespaced: isTrueAt(resource, 'namespaced'),
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
