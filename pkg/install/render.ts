import { compareText, isRecord, listAt, recordAt, type KubeObject } from '#pkg/object';
import { bundleConfigMap, bundleName, type Bundle } from './bundle.ts';
import { cephBinding } from './ceph-binding.ts';
import { composeRole, grantRole, type ResourceName } from './grant.ts';
import {
  BUNDLE_ANNOTATION,
  CONTROLLER_NAME,
  DEFAULT_NAMESPACE,
  MANAGED_BY,
  OPTIONS_ANNOTATION,
  VERSION_ANNOTATION,
} from './names.ts';
import { isAdmitting } from './plan.ts';

/** What was asked for; the manifests have the rest. */
export interface ChosenOptions {
  readonly replicas?: number | undefined;
  readonly image?: string | undefined;
  /** Whether deletions wait for what only Ceph can tell. */
  readonly ceph?: string | undefined;
  /** Where to ask it, besides where Rook is found. */
  readonly cephNamespaces?: readonly string[] | undefined;
}

export interface InstallOptions extends ChosenOptions {
  readonly namespace: string;
  readonly version: string;
  readonly grants: readonly ResourceName[];
  /** Kinds that are only to be looked at. */
  readonly readGrants?: readonly ResourceName[] | undefined;
  /** Kinds that composites may be composed of. */
  readonly compositions?: readonly ResourceName[];
  /** Namespaces in whose pods the controller may ask Ceph. */
  readonly cephRights?: readonly string[];
}

/**
 * Each needs something of those before it. The webhook configuration is late: from then on it is obeyed. Only what lets
 * people make something that it checks comes after it.
 */
const ORDER = [
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'Secret',
  'ConfigMap',
  'Service',
  'PodDisruptionBudget',
  'Deployment',
  'ValidatingWebhookConfiguration',
];

/** All objects of an installation, in the order in which they are applied. */
export function renderManifests(
  manifests: readonly KubeObject[],
  options: InstallOptions,
  bundle: Bundle,
): readonly KubeObject[] {
  const placed = manifests.map((object) => inNamespace(object, options.namespace) as KubeObject);
  const objects = placed.map((object) =>
    object.kind === 'Deployment' && object.metadata.name === CONTROLLER_NAME
      ? deployment(object, options, bundle)
      : object,
  );
  const rights = [
    ...[...new Set(options.grants)].map((resource) => grantRole(resource)),
    ...[...new Set(options.readGrants)].map((resource) => grantRole(resource, 'read')),
    ...[...new Set(options.compositions)].map(composeRole),
    ...[...new Set(options.cephRights)].map((namespace) => cephBinding(namespace, options.namespace)),
  ];
  return [...objects, ...rights, bundleConfigMap(bundle, options.namespace)]
    .map(managed)
    .toSorted(
      (a, b) =>
        rank(a) - rank(b) || compareText(a.kind, b.kind) || compareText(a.metadata.name, b.metadata.name),
    );
}

function rank(object: KubeObject): number {
  const { kind } = object;
  const at = ORDER.indexOf(kind);
  if (isAdmitting(object)) return ORDER.length;
  if (at < 0) throw new Error(`cannot install a ${kind}: its place in the order is not known`);
  return at;
}

/** The namespace stands in references and in the name of the service account as well. */
function inNamespace(value: unknown, namespace: string): unknown {
  if (typeof value === 'string') return value.replaceAll(DEFAULT_NAMESPACE, namespace);
  if (Array.isArray(value)) return value.map((item) => inNamespace(item, namespace));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inNamespace(item, namespace)]));
}

function managed(object: KubeObject): KubeObject {
  const labels = { 'app.kubernetes.io/name': 'rook-deps', ...MANAGED_BY, ...object.metadata.labels };
  return { ...object, metadata: { ...object.metadata, labels } };
}

function deployment(object: KubeObject, options: InstallOptions, bundle: Bundle): KubeObject {
  const { replicas, image, ceph, cephNamespaces, version } = options;
  const spec = recordAt(object, 'spec');
  const template = recordAt(spec, 'template');
  const pod = recordAt(template, 'spec');
  const container = recordAt(listAt(pod, 'containers')[0]);
  const args = [...listAt(container, 'args'), ...(ceph ? [`--ceph=${ceph}`] : [])];
  const containers = [{ ...container, args, ...(image ? { image } : {}) }];
  const volumes = [{ ...recordAt(listAt(pod, 'volumes')[0]), configMap: { name: bundleName(bundle) } }];
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: {
        [VERSION_ANNOTATION]: version,
        [BUNDLE_ANNOTATION]: bundle.hash,
        [OPTIONS_ANNOTATION]: JSON.stringify({ replicas, image, ceph, cephNamespaces }),
      },
    },
    spec: {
      ...spec,
      ...(replicas === undefined ? {} : { replicas }),
      template: { ...template, spec: { ...pod, containers, volumes } },
    },
  };
}
