import { isTerminating, isTrueAt, Kinds, textAt, type KubeObject, type ResourceType } from '#pkg/object';
import { parseStatus, type Status } from './status.ts';

export const MAINTENANCE: ResourceType = Kinds.NodeMaintenance;
export const FINALIZER = 'rook-deps.io/maintenance';

/** What somebody wants. */
export interface MaintenanceRequest {
  readonly node: string;
  readonly reason?: string | undefined;
  readonly requestedBy?: string | undefined;
  /** As it was given: `2h`. */
  readonly duration?: string | undefined;
  /** The node is cordoned and noout set, and pods stay where they are. */
  readonly noDrain: boolean;
  /** Goes on although others are at work; never where data would stop to be served. */
  readonly force: boolean;
}

/** A request, and how far it is. */
export interface Maintenance {
  readonly request: MaintenanceRequest;
  readonly isStopping: boolean;
  readonly status: Status;
  /** Where it is written down, as it was read. */
  readonly origin: KubeObject;
}

/** From a NodeMaintenance. */
export function parseMaintenance(object: KubeObject): Maintenance {
  return {
    request: parseRequest(object['spec'], object.metadata.name),
    isStopping: isTerminating(object),
    status: parseStatus(object['status']),
    origin: object,
  };
}

export function parseRequest(spec: unknown, name: string): MaintenanceRequest {
  return {
    node: textAt(spec, 'nodeName') ?? name,
    reason: textAt(spec, 'reason'),
    requestedBy: textAt(spec, 'requestedBy'),
    duration: textAt(spec, 'duration'),
    noDrain: isTrueAt(spec, 'noDrain'),
    force: isTrueAt(spec, 'force'),
  };
}

/** The fields of a spec; what is absent is left out. */
export function requestFields(request: MaintenanceRequest): Readonly<Record<string, unknown>> {
  const { node, reason, requestedBy, duration, noDrain, force } = request;
  return {
    nodeName: node,
    ...(reason ? { reason } : {}),
    ...(requestedBy ? { requestedBy } : {}),
    ...(duration ? { duration } : {}),
    ...(noDrain ? { noDrain } : {}),
    ...(force ? { force } : {}),
  };
}

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `90m`, `1h30m`; undefined for anything else. */
export function durationMs(text: string): number | undefined {
  if (!/^(\d+[smh])+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)([smh])/g)];
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * UNITS_MS[unit as keyof typeof UNITS_MS], 0);
}
