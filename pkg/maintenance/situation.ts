import type { MdsRank, OsdMap, Quorum, ServiceOpinion, StopForecast } from '#pkg/ceph';
import type { OsdFacts } from '#pkg/drain';
import type { KubeObject, Listing } from '#pkg/object';
import type { Maintenance } from './maintenance.ts';
import type { OneByOne } from './one-by-one.ts';
import type { DrainPod } from './pods.ts';
import type { Service } from './services.ts';

/** All that a decision rests on, as it is at this moment. */
export interface Situation {
  readonly maintenance: Maintenance;
  readonly now: number;
  /** Absent when it was deleted. */
  readonly node: NodeFacts | undefined;
  /** The pods that have to go. */
  readonly pods: readonly DrainPod[];
  /** Volumes of Ceph that are attached to the node although no pod that stays uses them. */
  readonly attached: readonly string[];
  /** Asked for only before something is done, because it takes a while. */
  readonly surroundings?: Surroundings | undefined;
}

export interface NodeFacts {
  readonly object: KubeObject;
  readonly name: string;
  readonly uid: string;
  readonly isCordoned: boolean;
}

/** What others do, and how Ceph is. */
export interface Surroundings {
  /** Clusters with daemons on the node, or that the maintenance has to do with. */
  readonly clusters: readonly ClusterFacts[];
  readonly others: readonly OtherMaintenance[];
  /** Who else holds the node for a maintenance. */
  readonly holders: readonly string[];
  /** Read for the plan alone, before anything has begun. */
  readonly budgets: Listing;
  /** What usages and critical services keep on this node, in words. */
  readonly protections: readonly string[];
}

/** Another node that is being maintained, by us or by others. */
export interface OtherMaintenance {
  readonly node: string;
  /** By cluster, the failure domains of its OSDs. */
  readonly domains: ReadonlyMap<string, readonly string[]>;
  readonly by: string;
}

export interface ClusterFacts {
  /** `namespace/name`. */
  readonly id: string;
  readonly object: KubeObject;
  readonly type: string;
  readonly osds: readonly OsdFacts[];
  /** OSDs of the node. */
  readonly own: readonly number[];
  /** OSDs that run on another node. */
  readonly elsewhere: readonly number[];
  /** Monitors on the node. */
  readonly monitors: readonly string[];
  /** Services of pods that go, which no other pod gives. */
  readonly lone: readonly Service[];
  /** OSDs that are being replaced. */
  readonly replacing: readonly number[];
  readonly hasOperator: boolean;
  /** The domains that drain by somebody's account. */
  readonly draining: readonly { readonly domain: string; readonly by: string }[];
  /** Budgets that hold the other domains, by name, where somebody takes them back; looked for on the way back only. */
  readonly blocking: readonly string[];
  readonly ceph: CephAnswer;
}

/** What Ceph said. */
export type CephAnswer =
  | { readonly kind: 'silent'; readonly reason: string }
  | {
      readonly kind: 'told';
      readonly osdMap: OsdMap;
      readonly health: string;
      readonly checks: readonly string[];
      readonly quorum: Quorum;
      readonly ranks: readonly MdsRank[];
      /** On the metadata servers that go, while there are any. */
      readonly metadataServers?: { readonly names: readonly string[]; readonly opinion: ServiceOpinion };
      /** Without a manager nobody knows how the data is. */
      readonly groups: SettledGroups | { readonly trouble: string };
    };

export interface SettledGroups {
  readonly isClean: boolean;
  readonly words: string;
  /** Those that the node's OSDs serve and that are not clean: OSDs that are down already do not explain them. */
  readonly unclean: readonly string[];
  /** Of these, those that may have the only copy of an object on the node. */
  readonly needed: readonly string[];
  /** What would become of them without the node's OSDs that are up, or without the one whose turn it is. */
  readonly forecast: StopForecast;
  readonly turns?: OneByOne | undefined;
  /** Ceph's own opinion; it counts only when it says no. */
  readonly opinion: boolean;
}

/** The domains of the node in a cluster. */
export function ownDomains({ osds, own }: ClusterFacts): readonly string[] {
  return [...new Set(osds.filter(({ id }) => own.includes(id)).map(({ domain }) => domain))].sort();
}
