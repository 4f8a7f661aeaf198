import type { Ceph, Quorum } from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import {
  Kinds,
  listAt,
  recordAt,
  textAt,
  type Gap,
  type GroupKind,
  type KubeObject,
  type ListRequest,
  type Reader,
} from '#pkg/object';
import type { MaintenanceNote } from '#pkg/verdict';
import { orSilence, viewCeph, viewHealth, type CephView, type Health } from './ceph-view.ts';
import { parseRookState, parseState, ROOK_STATE_NAME, STATE_NAME, type DrainState } from './drain-state.ts';
import { requestedDomain } from './failure-domain.ts';
import { isBlocking, type DrainPicture } from './holds.ts';
import { POOL_KINDS } from './kinds.ts';
import { viewOsds, type OsdObjects } from './osd-view.ts';
import { drainSettings, type DrainSettings } from './settings.ts';

export interface LookPorts {
  readonly reader: Pick<Reader, 'get' | 'list'>;
  /** The way to the Ceph of a cluster, if there is one. */
  cephOf(cluster: KubeObject): Ceph | undefined;
  readonly clock: Clock;
  /** All maintenances that somebody has asked for. Throws when they could not be read. */
  maintenances(signal: AbortSignal): Promise<readonly MaintenanceNote[]>;
  /** Ceph is left out on purpose: what it does not tell is not missing. */
  readonly leavesOutCeph?: boolean;
}

/** The objects of all clusters. */
export interface LookObjects extends OsdObjects {
  readonly budgets: readonly KubeObject[];
}

/** What is known of drains in one cluster; what could not be learnt is a gap. */
export interface ClusterLook {
  readonly cluster: KubeObject;
  readonly settings: DrainSettings;
  readonly state: DrainState;
  readonly picture: DrainPicture;
  readonly view: CephView | undefined;
  readonly health: Health | undefined;
  readonly quorum: Quorum | undefined;
  readonly gaps: readonly Gap[];
}

/** Why Ceph said nothing where nobody asked it. */
const UNASKED = 'only Ceph can tell, and it was not asked';

/** One look at a cluster. `objects` may hold those of others. */
export async function lookAtCluster(
  cluster: KubeObject,
  objects: LookObjects,
  ports: LookPorts,
  signal: AbortSignal,
): Promise<ClusterLook> {
  const { namespace = '', name } = cluster.metadata;
  const own = inNamespace(objects, namespace);
  const gaps: Gap[] = [];
  const silence = (error: Error): void => {
    gaps.push({ what: `placement groups of CephCluster ${namespace}/${name}`, reason: error.message });
  };
  const ceph = ports.cephOf(cluster);
  if (!ceph && !ports.leavesOutCeph) silence(new Error(UNASKED));
  const settings = drainSettings(cluster);
  const view = ceph && (await viewCeph(ceph, undefined, silence, signal));
  const state = await readState(settings, namespace, ports.reader, gaps, signal);
  const type = await domainType(settings, state, view, own.budgets, namespace, ports.reader, signal);
  const osds = await viewOsds(type, own, ceph, view, silence, signal);
  // A second silence would say nothing new.
  const health = ceph && view && (await viewHealth(ceph, settings.healthy, ports.clock, silence, signal));
  const quorum = ceph && view && (await orSilence(silence, () => ceph.quorum(signal)));
  const picture = { type, osds, draining: state.draining, groups: health?.words };
  return { cluster, settings, state, picture, view, health, quorum, gaps };
}

/** Names of pods and OSDs are unique in one namespace alone. */
export function inNamespace(objects: LookObjects, namespace: string): LookObjects {
  const own = (all: readonly KubeObject[]): readonly KubeObject[] =>
    all.filter(({ metadata }) => metadata.namespace === namespace);
  const { deployments, pods, nodes, budgets } = objects;
  return { deployments: own(deployments), pods: own(pods), nodes, budgets: own(budgets) };
}

async function readState(
  { isRooks }: DrainSettings,
  namespace: string,
  reader: Pick<Reader, 'get'>,
  gaps: Gap[],
  signal: AbortSignal,
): Promise<DrainState> {
  const name = isRooks ? ROOK_STATE_NAME : STATE_NAME;
  try {
    const found = await reader.get(Kinds.ConfigMap, namespace, name, signal);
    return isRooks ? parseRookState(found) : parseState(found);
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    gaps.push({ what: `which domain drains (ConfigMap ${namespace}/${name})`, reason });
    return { noout: [] };
  }
}

/** Budgets say what their maker took for it; then come Ceph's rules, and what resources ask for. */
async function domainType(
  { isRooks }: DrainSettings,
  state: DrainState,
  view: CephView | undefined,
  budgets: readonly KubeObject[],
  namespace: string,
  reader: Pick<Reader, 'list'>,
  signal: AbortSignal,
): Promise<string> {
  const known = (isRooks ? typeOfBudgets(budgets) : undefined) ?? view?.layout.type ?? state.type;
  if (known !== undefined) return known;
  const list = async (kind: GroupKind): Promise<readonly KubeObject[]> => {
    const request: ListRequest = { kind, namespace, detail: 'object' };
    return (await reader.list(request, signal)).items;
  };
  return requestedDomain((await Promise.all(POOL_KINDS.map(list))).flat());
}

const LABEL = /^topology-location-(.+)$/;

function typeOfBudgets(budgets: readonly KubeObject[]): string | undefined {
  const keys = budgets.filter(isBlocking).flatMap((budget) => selectorKeys(budget));
  return keys.map((key) => LABEL.exec(key)?.[1]).find((type) => type !== undefined);
}

function selectorKeys({ spec }: KubeObject): readonly string[] {
  const labels = Object.keys(recordAt(spec, 'selector', 'matchLabels'));
  const expressions = listAt(spec, 'selector', 'matchExpressions').flatMap((one) => textAt(one, 'key') ?? []);
  return [...labels, ...expressions];
}
