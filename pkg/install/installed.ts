import {
  fieldAt,
  listAt,
  numberAt,
  textAt,
  UserError,
  type Gap,
  type KubeObject,
  type ListRequest,
  type Reader,
} from '#pkg/object';
import {
  BUNDLE_ANNOTATION,
  CONTROLLER_NAME,
  MANAGED_SELECTOR,
  OPTIONS_ANNOTATION,
  VERSION_ANNOTATION,
} from './names.ts';
import type { ChosenOptions } from './render.ts';

/** What is installed, as its Deployment tells. */
export interface Installed {
  readonly namespace: string;
  readonly version: string;
  readonly bundleHash: string;
  readonly chosen: ChosenOptions;
  readonly deployment: KubeObject;
}

const DEPLOYMENTS: ListRequest = {
  kind: { group: 'apps', kind: 'Deployment' },
  detail: 'object',
  labelSelector: MANAGED_SELECTOR,
};

/** The installation of a cluster, in whatever namespace it is; a gap where that cannot be seen. */
export async function findInstalled(
  reader: Reader,
  signal: AbortSignal,
): Promise<Installed | Gap | undefined> {
  const { items, gaps } = await reader.list(DEPLOYMENTS, signal);
  const found = items.find(({ metadata }) => metadata.name === CONTROLLER_NAME);
  return found ? installedOf(found) : gaps[0];
}

/** As `findInstalled`, for those who cannot go on without knowing. */
export async function requireInstalled(reader: Reader, signal: AbortSignal): Promise<Installed | undefined> {
  const found = await findInstalled(reader, signal);
  if (!found || !('reason' in found)) return found;
  throw new UserError(`error: cannot see what is installed: ${found.what}: ${found.reason}`);
}

function installedOf(deployment: KubeObject): Installed {
  const { namespace = '', annotations } = deployment.metadata;
  return {
    namespace,
    version: textAt(annotations, VERSION_ANNOTATION) ?? '<unknown>',
    bundleHash: textAt(annotations, BUNDLE_ANNOTATION) ?? '<unknown>',
    chosen: chosenOf(textAt(annotations, OPTIONS_ANNOTATION)),
    deployment,
  };
}

/** People edit annotations: what cannot be read was not chosen. */
function chosenOf(text: string | undefined): ChosenOptions {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
  return {
    replicas: numberAt(value, 'replicas'),
    image: textAt(value, 'image'),
    ceph: textAt(value, 'ceph'),
    cephNamespaces: namesAt(value, 'cephNamespaces'),
  };
}

function namesAt(value: unknown, field: string): readonly string[] | undefined {
  const names = listAt(value, field).filter((name) => typeof name === 'string');
  return fieldAt(value, field) === undefined ? undefined : names;
}
