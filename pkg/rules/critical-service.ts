import {
  isTrueAt,
  Kinds,
  KNOWN_TYPES,
  listAt,
  numberAt,
  refOf,
  textAt,
  type GroupKind,
  type KubeObject,
  type ObjectRef,
} from '#pkg/object';
import type { Rule } from './rule.ts';

/** What critical services are made for, besides the kinds that rules know. */
const WORKLOADS: readonly (GroupKind & { readonly plural: string })[] = [
  { group: 'apps', kind: 'StatefulSet', plural: 'statefulsets' },
  { group: 'apps', kind: 'DaemonSet', plural: 'daemonsets' },
  ...KNOWN_TYPES,
];

/** What others rely on to be deleted stays until they are. */
export const criticalProvider: Rule = {
  code: 'RD045',
  title: 'A CriticalService whose criteria are not met',
  relation: 'keeps',
  blocks: true,
  reads: [Kinds.CriticalService],
  targets: 'any',
  across: true,
  meaning:
    'Somebody made a CriticalService: the object, or what runs in the namespace, serves finalizers or webhooks of others, ' +
    'which could never be deleted without it. It stays until no object has those finalizers and the named objects are gone.',
  remedy: [
    'Delete what it waits for first: kubectl get criticalservice NAME -o wide tells what that is.',
    'kubectl rook-deps unprotect TYPE/NAME removes the CriticalService, and leaves what it waits for to its fate.',
  ],
  *references(object, lookup) {
    const provider = providerOf(object);
    if (!provider || isTrueAt(object, 'status', 'released')) return;
    const found = lookup.object(provider, provider.namespace, provider.name);
    const blocks = areCriteriaMet(object) ? ({ blocks: false } as const) : {};
    const mention = { field: 'spec.criteria', ...waitsFor(object), ...blocks };
    if (found) yield { to: refOf(found), ...mention };
    const home = provider.namespace && lookup.object(NAMESPACE, undefined, provider.namespace);
    if (home) yield { to: refOf(home), ...mention };
  },
};

/** A service without its provider would have nothing to keep; a provider without its service nothing that keeps it. */
export const criticalServiceProvider: Rule = {
  code: 'RD046',
  title: 'The provider of a CriticalService',
  relation: 'is kept by',
  blocks: true,
  reads: [Kinds.CriticalService],
  targets: [Kinds.CriticalService],
  across: true,
  meaning:
    'A CriticalService stays until its provider is gone: whoever deletes everything at once, in whatever order, must not ' +
    'take away the protection first.',
  remedy: [
    'Delete the provider first.',
    'Set spec.deletionPolicy to Orphan to remove the CriticalService and leave the provider unprotected.',
  ],
  *references(object) {
    const provider = providerOf(object);
    if (!provider || isTrueAt(object, 'status', 'released') || isProviderGone(object)) return;
    const policy = textAt(object, 'spec', 'deletionPolicy');
    const isFree = policy === 'Orphan' || (policy === 'BestEffort' && areCriteriaMet(object));
    yield { to: refOf(object), from: provider, field: 'spec.provider', ...(isFree ? { blocks: false } : {}) };
  },
};

const NAMESPACE = { group: '', kind: 'Namespace' };

/** Resources are written by their plural; the controller has found out the kind, where there is one. */
function providerOf(service: KubeObject): ObjectRef | undefined {
  const group = textAt(service, 'spec', 'provider', 'group') ?? '';
  const word = textAt(service, 'spec', 'provider', 'resource')?.toLowerCase();
  const name = textAt(service, 'spec', 'provider', 'name');
  const namespace = textAt(service, 'spec', 'provider', 'namespace');
  const known = WORKLOADS.find(
    (type) => type.group === group && (type.plural === word || type.kind.toLowerCase() === word),
  );
  const kind = textAt(service, 'status', 'provider', 'kind') ?? known?.kind;
  return kind && name ? { group, kind, name, ...(namespace ? { namespace } : {}) } : undefined;
}

/** Only what was found out about the very spec that is there counts; in manifests that no cluster has seen, nothing. */
function areCriteriaMet(service: KubeObject): boolean {
  return textAt(conditionOf(service, 'Satisfied'), 'status') === 'True';
}

function isProviderGone(service: KubeObject): boolean {
  return textAt(conditionOf(service, 'Ready'), 'reason') === 'ProviderNotFound';
}

function conditionOf(service: KubeObject, type: string): unknown {
  const generation = numberAt(service, 'metadata', 'generation');
  return listAt(service, 'status', 'conditions').find(
    (condition) =>
      textAt(condition, 'type') === type && numberAt(condition, 'observedGeneration') === generation,
  );
}

function waitsFor(service: KubeObject): { readonly detail?: string } {
  const message = textAt(conditionOf(service, 'Satisfied'), 'message');
  return message ? { detail: `waits for ${message}` } : {};
}
