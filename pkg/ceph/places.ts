import {
  fieldAt,
  isTrueAt,
  Kinds,
  listAt,
  textAt,
  type KubeObject,
  type Listing,
  type Reader,
} from '#pkg/object';
import { operatorsOf, type OperatorPorts } from './operators.ts';
import { OPERATOR, PROXY, proxyPods, TOOLBOX, toolboxPods } from './pods.ts';
import type { CephProgram } from './runner.ts';

/** A container to run programs in. */
export interface ExecTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** A place to ask from, and the flags that lead to the right cluster there. */
export interface Place {
  readonly target: ExecTarget;
  /** Of the pod: another one may get its name. */
  readonly uid: string | undefined;
  readonly node: string;
  readonly flags: readonly string[];
}

export interface PlacePorts extends OperatorPorts {
  readonly reader: Pick<Reader, 'get' | 'list'>;
  /** Nodes whose pods are better left alone: they may go away any moment. */
  avoids?(node: string): boolean;
}

/** Where a cluster can be asked, best first, and what is in the way of more. */
export interface Places {
  readonly found: readonly Place[];
  readonly lacks: readonly string[];
}

/** The operator beside the cluster, its toolbox, operators elsewhere; before all the manager, where Rook itself has to ask there. */
export async function findPlaces(
  namespace: string,
  program: CephProgram,
  ports: PlacePorts,
  signal: AbortSignal,
): Promise<Places> {
  const { reader } = ports;
  const [managers, operators, toolboxes] = await Promise.all([
    program === 'ceph' ? NONE : proxyPods(reader, namespace, signal),
    operatorsOf(namespace, ports, signal),
    toolboxPods(reader, namespace, signal),
  ]);
  const conf = ['--conf', `/var/lib/rook/${namespace}/${namespace}.config`];
  const isNear = ({ metadata }: KubeObject): boolean => metadata.namespace === namespace;
  const ready = operators.pods.filter(isReady);
  const found = [
    ...managers.items.filter(isReady).map((pod) => placeIn(pod, PROXY, [])),
    ...ready.filter(isNear).map((pod) => placeIn(pod, OPERATOR, conf)),
    ...toolboxes.items.filter(isReady).map((pod) => placeIn(pod, TOOLBOX, [])),
    ...ready.filter((pod) => !isNear(pod)).map((pod) => placeIn(pod, OPERATOR, conf)),
  ];
  const gaps = [...operators.gaps, ...toolboxes.gaps].map(({ what, reason }) => `${what}: ${reason}`);
  const lacks = [...new Set([...gaps, ...doubts(operators.doubted, namespace)])];
  return { found: await lastingFirst(found, ports, signal), lacks };
}

const NONE: Listing = { items: [], gaps: [] };

/** One is named: whoever makes such pods may make many. */
function doubts([pod, ...others]: readonly KubeObject[], namespace: string): readonly string[] {
  if (!pod) return [];
  const { namespace: home = '', name } = pod.metadata;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return [
    `pod ${home}/${name}${more} looks like Rook's operator, but it was not seen that it may update the CephCluster in namespace ${namespace}`,
  ];
}

/** Whether a place that answered before is still as good as then. What cannot be seen of it is not. */
export async function isStillGood(
  { target, uid, node }: Place,
  { reader, avoids }: PlacePorts,
  signal: AbortSignal,
): Promise<boolean> {
  if (avoids?.(node)) return false;
  const [pod, host] = await Promise.all(
    [
      reader.get(Kinds.Pod, target.namespace, target.pod, signal),
      // Who may not see nodes asks wherever an answer comes from.
      reader.get(Kinds.Node, undefined, node, signal),
    ].map((read) => read.catch(() => undefined)),
  );
  signal.throwIfAborted();
  return pod !== undefined && pod.metadata.uid === uid && isReady(pod) && !isCordoned(host);
}

async function lastingFirst(
  found: readonly Place[],
  { reader, avoids }: PlacePorts,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  if (found.length < 2) return found;
  const { items } = await reader.list({ kind: Kinds.Node, detail: 'object' }, signal);
  const leaving = new Set(items.filter(isCordoned).map(({ metadata }) => metadata.name));
  const isAvoided = ({ node }: Place): number => (leaving.has(node) || avoids?.(node) ? 1 : 0);
  return found.toSorted((a, b) => isAvoided(a) - isAvoided(b));
}

/** Its pods are about to go. */
function isCordoned(node: KubeObject | undefined): boolean {
  return isTrueAt(node, 'spec', 'unschedulable');
}

function placeIn(pod: KubeObject, container: string, flags: readonly string[]): Place {
  const { name, namespace = '', uid } = pod.metadata;
  const node = textAt(pod, 'spec', 'nodeName') ?? '';
  return { target: { namespace, pod: name, container }, uid, node, flags };
}

function isReady(pod: KubeObject): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  if (textAt(pod, 'status', 'phase') !== 'Running') return false;
  return listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && fieldAt(condition, 'status') === 'True',
  );
}
