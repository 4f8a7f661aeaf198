import { mayChangeClusters, operatorPods, proxyPods, toolboxPods } from '#pkg/ceph';
import {
  compareText,
  isTerminating,
  Kinds,
  type KubeObject,
  type Listing,
  type Reader,
  type Writer,
} from '#pkg/object';
import { isCephBinding } from './ceph-binding.ts';
import { MANAGED_SELECTOR } from './names.ts';
import type { ChosenOptions } from './render.ts';

export interface CephRightsRequest {
  /** Where the controller itself is, or will be. */
  readonly namespace: string;
  readonly chosen: ChosenOptions;
  /** Whether namespaces were named anew: then those of earlier runs are not kept. */
  readonly isNamed: boolean;
}

export interface CephRightsPorts {
  readonly reader: Reader;
  readonly writer: Pick<Writer, 'createReview'>;
  say(text: string): void;
}

const AGAIN = "run 'kubectl rook-deps install' again";

/** The namespaces in which the controller is to ask Ceph: where Rook is found, those named, and those of earlier runs. */
export async function findCephRights(
  { namespace, chosen, isNamed }: CephRightsRequest,
  ports: CephRightsPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (chosen.ceph === 'off') return [];
  const { cephNamespaces = [] } = chosen;
  const known = [...cephNamespaces, ...(isNamed ? [] : await boundBefore(ports, signal))];
  const found = await whereRookIs(known, ports, signal);
  const wanted = [...new Set([...known, ...found])].toSorted(compareText);
  if (wanted.length === 0)
    ports.say(`Rook was not found: once it is installed, ${AGAIN}, so that the controller may ask Ceph`);
  const there = await Promise.all(
    wanted.map(async (name) => name === namespace || (await isLasting(name, ports, signal))),
  );
  const missing = cephNamespaces.filter((name) => !there[wanted.indexOf(name)]);
  for (const name of missing)
    ports.say(
      `there is no namespace "${name}" yet: once it exists, ${AGAIN}, so that the controller may ask Ceph there`,
    );
  return wanted.filter((_, at) => there[at]);
}

/** An operator may be away for a moment: what was bound is kept. */
async function boundBefore({ reader }: CephRightsPorts, signal: AbortSignal): Promise<readonly string[]> {
  const kind = { group: 'rbac.authorization.k8s.io', kind: 'RoleBinding' };
  const { items } = await reader.list({ kind, detail: 'metadata', labelSelector: MANAGED_SELECTOR }, signal);
  return namespacesOf(items.filter(isCephBinding));
}

async function whereRookIs(
  known: readonly string[],
  ports: CephRightsPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { reader } = ports;
  const clusters = await reader.list({ kind: Kinds.CephCluster, detail: 'metadata' }, signal);
  const operators = await operatorPods(reader, undefined, signal);
  const near = await Promise.all(
    namespacesOf(clusters.items).flatMap((name) => [
      toolboxPods(reader, name, signal),
      proxyPods(reader, name, signal),
    ]),
  );
  sayUnseen([clusters, operators, ...near], ports);
  const genuine: KubeObject[] = [];
  for (const pod of operators.items)
    if (!known.includes(pod.metadata.namespace ?? '') && (await isGenuine(pod, ports, signal)))
      genuine.push(pod);
  return namespacesOf([...genuine, ...near.flatMap(({ items }) => items)]);
}

function sayUnseen(listings: readonly Listing[], { say }: CephRightsPorts): void {
  const [gap] = listings.flatMap(({ gaps }) => gaps);
  if (gap)
    say(`cannot see where Rook is (${gap.what}: ${gap.reason}): name its namespaces with --ceph-namespace`);
}

/**
 * Anybody can make a pod with the label of an operator, and its answers would be believed. A real one may change every
 * CephCluster.
 */
async function isGenuine(pod: KubeObject, ports: CephRightsPorts, signal: AbortSignal): Promise<boolean> {
  const { namespace = '', name } = pod.metadata;
  const isTrusted = (await mayChangeClusters(pod, undefined, ports, signal)) === true;
  if (!isTrusted)
    ports.say(
      `pod ${namespace}/${name} looks like Rook's operator, but it was not seen that it may update every CephCluster: if it is, add --ceph-namespace ${namespace}`,
    );
  return isTrusted;
}

async function isLasting(name: string, { reader }: CephRightsPorts, signal: AbortSignal): Promise<boolean> {
  const namespace = await reader.get({ group: '', kind: 'Namespace' }, undefined, name, signal);
  return namespace !== undefined && !isTerminating(namespace);
}

function namespacesOf(objects: readonly KubeObject[]): readonly string[] {
  return [...new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []))];
}
