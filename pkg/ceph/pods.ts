import { Kinds, listAt, textAt, type KubeObject, type Listing, type Reader } from '#pkg/object';

type Lister = Pick<Reader, 'list'>;

/** The containers of these pods in which the programs of Ceph are, and by which label the pods are found. */
export const OPERATOR = 'rook-ceph-operator';
export const TOOLBOX = 'rook-ceph-tools';
const MANAGER = 'rook-ceph-mgr';
export const PROXY = 'cmd-proxy';

/** What looks like an operator, in a namespace or in all: see `operatorsOf` for those to believe. */
export function operatorPods(
  reader: Lister,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Listing> {
  return podsOf(OPERATOR, namespace, reader, signal);
}

/** The toolbox of the cluster in a namespace. */
export function toolboxPods(reader: Lister, namespace: string, signal: AbortSignal): Promise<Listing> {
  return podsOf(TOOLBOX, namespace, reader, signal);
}

/** Managers in which Rook itself runs programs, as it cannot reach the cluster's network. */
export async function proxyPods(reader: Lister, namespace: string, signal: AbortSignal): Promise<Listing> {
  const { items, gaps } = await podsOf(MANAGER, namespace, reader, signal);
  return { items: items.filter(hasProxy), gaps };
}

function podsOf(
  app: string,
  namespace: string | undefined,
  reader: Lister,
  signal: AbortSignal,
): Promise<Listing> {
  const request = { kind: Kinds.Pod, detail: 'object', labelSelector: `app=${app}` } as const;
  return reader.list(namespace ? { ...request, namespace } : request, signal);
}

function hasProxy(pod: KubeObject): boolean {
  return listAt(pod, 'spec', 'containers').some((container) => textAt(container, 'name') === PROXY);
}
