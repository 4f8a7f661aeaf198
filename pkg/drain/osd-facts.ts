import { numberAt, textAt, type KubeObject } from '#pkg/object';
import { OSD_ID } from './kinds.ts';
import { drainReason } from './node-state.ts';

/** An OSD as Kubernetes sees it. */
export interface OsdFacts {
  readonly id: number;
  /** The name of its failure domain; empty where neither its labels nor Ceph tell. */
  readonly domain: string;
  /** Its labels do not tell the domain: a selector finds it by its number alone. */
  readonly isUnlabelled?: boolean;
  /** It has no Deployment: Ceph alone knows of it, and waits for it. */
  readonly isGone?: boolean;
  readonly isDown: boolean;
  /** Down, and its node is drained. */
  readonly isDrained: boolean;
  /** The node it runs on, or has to; absent when only Ceph could tell, and was not asked. */
  readonly node?: string;
}

export interface OsdSources {
  /** The Deployments of all OSDs of a cluster. */
  readonly deployments: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
  readonly nodes: readonly KubeObject[];
  /** Where Ceph saw each OSD last; empty while it does not answer. */
  readonly lastNodes: ReadonlyMap<number, string>;
  /** OSDs that Ceph calls down. Kubernetes may not have noticed yet. */
  readonly down?: ReadonlySet<number>;
  /** The domain of each OSD in Ceph's hierarchy. */
  readonly domains?: ReadonlyMap<number, string>;
}

/** Is on the Deployment of an OSD that Rook replaces: its pod is away on purpose. */
export const REPLACING = 'osd.rook.io/replace-in-progress';
export const HOSTNAME = 'kubernetes.io/hostname';

/** One entry for each OSD, by number, although two Deployments may stand for one during maintenance. */
export function osdFacts(type: string, sources: OsdSources): readonly OsdFacts[] {
  const byId = new Map<number, KubeObject[]>();
  for (const deployment of sources.deployments) {
    const id = Number(deployment.metadata.labels?.[OSD_ID]);
    if (!Number.isInteger(id)) continue;
    byId.set(id, [...(byId.get(id) ?? []), deployment]);
  }
  return [...byId].map(([id, own]) => factsOf(id, own, type, sources)).sort((a, b) => a.id - b.id);
}

function factsOf(id: number, own: readonly KubeObject[], type: string, sources: OsdSources): OsdFacts {
  const label = own.map((deployment) => domainOf(deployment, type)).find((name) => name !== '');
  const isServed = own.some((deployment) => isReplacing(deployment) || isReady(deployment));
  const isDown = !isServed || sources.down?.has(id) === true;
  const place = nodeOf(id, own, sources);
  return {
    id,
    domain: label ?? sources.domains?.get(id) ?? '',
    ...(label === undefined ? { isUnlabelled: true } : {}),
    isDown,
    isDrained: isDown && place !== undefined && drainReason(place.node) !== undefined,
    ...(place ? { node: place.name } : {}),
  };
}

function domainOf(object: KubeObject, type: string): string {
  return object.metadata.labels?.[`topology-location-${type}`] ?? '';
}

function isReplacing({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[REPLACING] === 'true';
}

function isReady(deployment: KubeObject): boolean {
  return (numberAt(deployment, 'status', 'readyReplicas') ?? 0) >= 1;
}

interface Place {
  readonly name: string;
  /** Absent when it was deleted. */
  readonly node: KubeObject | undefined;
}

/** The node that the OSD ran on, or has to run on: its pod may wait for it. */
function nodeOf(id: number, own: readonly KubeObject[], sources: OsdSources): Place | undefined {
  const { pods, nodes, lastNodes } = sources;
  const placed = pods.filter(({ metadata }) => metadata.labels?.[OSD_ID] === String(id));
  const current = placed.map((pod) => textAt(pod, 'spec', 'nodeName')).find((name) => name !== undefined);
  const bound = own
    .map((deployment) => textAt(deployment, 'spec', 'template', 'spec', 'nodeSelector', HOSTNAME))
    .find((name) => name !== undefined);
  if (current === undefined && bound !== undefined) {
    return { name: bound, node: nodes.find(({ metadata }) => metadata.labels?.[HOSTNAME] === bound) };
  }
  const name = current ?? lastNodes.get(id);
  return name === undefined
    ? undefined
    : { name, node: nodes.find(({ metadata }) => metadata.name === name) };
}
