import { KNOWN_TYPES, type ResourceType } from '#pkg/object';

function core(kind: string, shortName?: string, rest: Partial<ResourceType> = {}): ResourceType {
  const singular = kind.toLowerCase();
  return {
    group: '',
    version: 'v1',
    kind,
    singular,
    plural: `${singular}s`,
    shortNames: shortName ? [shortName] : [],
    namespaced: true,
    ...rest,
  };
}

/** The core group: every server has the same, so that it need not be asked for. */
export const CORE_TYPES: readonly ResourceType[] = [
  ...KNOWN_TYPES.filter(({ group }) => group === ''),
  core('Namespace', 'ns', { namespaced: false }),
  core('ServiceAccount', 'sa'),
  core('Endpoints', 'ep', { plural: 'endpoints' }),
  core('Event', 'ev'),
  core('ReplicationController', 'rc'),
  core('ResourceQuota', 'quota'),
  core('LimitRange', 'limits'),
  core('PodTemplate'),
];
