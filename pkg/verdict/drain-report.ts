import type { Gap } from '#pkg/object';
import type { API_VERSION, ObjectName } from './report.ts';

/** Something that keeps pods on a node, or should. */
export interface DrainCause {
  readonly code: string;
  readonly message: string;
  /** A budget, or the cluster whose data would suffer. */
  readonly object: ObjectName;
  /** The pods that it holds. */
  readonly pods: readonly ObjectName[];
  /** The failure domain for whose sake. */
  readonly domain?: string;
}

/** What is known of one cluster that has daemons on the node. */
export interface ClusterDrain {
  readonly cluster: ObjectName;
  /** Who makes the budgets of the OSDs; `others` where there are some of neither. */
  readonly budgetsBy: 'Rook' | 'rook-deps' | 'others' | 'nobody';
  /** The type of failure domain. */
  readonly domainType: string;
  /** The domains of the OSDs on the node. */
  readonly domains: readonly string[];
  /** The domain that drains. */
  readonly draining?: string;
  /** OSDs that are down, of all nodes. */
  readonly down: readonly number[];
  /** OSDs that a drain would stop. */
  readonly leaving: readonly number[];
  /** The states of placement groups, in words; absent while Ceph does not tell. */
  readonly placementGroups?: string;
  /** How many placement groups would serve no more without the node, and how many would lack a copy. */
  readonly wouldStop?: number;
  readonly wouldDegrade?: number;
  readonly noout: readonly { readonly message: string; readonly until?: string }[];
}

/** A maintenance of a node: who wants what, and how far it is. */
export interface MaintenanceNote {
  readonly node: string;
  readonly phase: string;
  readonly message: string;
  /** When it began; absent while nothing has been changed. */
  readonly since?: string;
  readonly requestedBy?: string;
  readonly reason?: string;
  /** It is on its way back. */
  readonly isStopping: boolean;
}

/** Of a node in another failure domain: until it is back, this one has to stay. */
export interface OtherMaintenance extends MaintenanceNote {
  /** `zone zone-x`. */
  readonly domain: string;
}

export type DrainVerdict = 'Drainable' | 'Blocked' | 'Unknown';

/** The answer to `why node/NODE`. Others build on its shape: fields are added, never changed. */
export interface DrainReport {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'DrainReport';
  readonly subject: ObjectName;
  readonly verdict: DrainVerdict;
  /** Why its OSDs count as drained when they are down. */
  readonly drained?: 'cordoned' | 'out of service';
  /** Of this node. */
  readonly maintenance?: MaintenanceNote;
  readonly otherMaintenances: readonly OtherMaintenance[];
  readonly causes: readonly DrainCause[];
  readonly clusters: readonly ClusterDrain[];
  readonly gaps: readonly Gap[];
  readonly notes: readonly string[];
  /** Commands to copy. */
  readonly next: readonly string[];
}
