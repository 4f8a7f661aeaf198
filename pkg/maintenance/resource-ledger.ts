import {
  listAt,
  numberAt,
  recordAt,
  refOf,
  textAt,
  UserError,
  type KubeObject,
  type Reader,
  type Writer,
} from '#pkg/object';
import type { Ledger } from './ledger.ts';
import { FINALIZER, MAINTENANCE, parseMaintenance, type Maintenance } from './maintenance.ts';
import { sameStatus, type Phase, type Status } from './status.ts';
import { nooutWords, osdCount } from './words.ts';

export interface LedgerPorts {
  readonly reader: Pick<Reader, 'get' | 'list'>;
  readonly writer: Pick<Writer, 'patch' | 'create' | 'delete'>;
  now(): number;
}

/** NodeMaintenances. Their status is the controller's to write; while none lives, that of a command in its place. */
export function resourceLedger({ reader, writer, now }: LedgerPorts): Ledger {
  return {
    async all(signal) {
      const { items, gaps } = await reader.list({ kind: MAINTENANCE, detail: 'object' }, signal);
      const [gap] = gaps;
      if (gap) throw new UserError(`error: cannot list ${gap.what}: ${gap.reason}`);
      return items.map(parseMaintenance);
    },
    async find(node, signal) {
      const object = await reader.get(MAINTENANCE, undefined, node, signal);
      return object && parseMaintenance(object);
    },
    async hold(maintenance, signal) {
      const { origin, isStopping } = maintenance;
      const { uid, resourceVersion, finalizers = [] } = origin.metadata;
      if (isStopping || finalizers.includes(FINALIZER)) return maintenance;
      const body = { metadata: { uid, resourceVersion, finalizers: [...finalizers, FINALIZER] } };
      return parsed(await writer.patch(refOf(origin), { type: 'merge', body }, signal), origin);
    },
    async keep(maintenance, status, signal) {
      const { origin } = maintenance;
      const fields = statusFields(origin, status, now());
      const old = recordAt(origin, 'status');
      const isSame = Object.entries(fields).every(([name, value]) => sameStatus(old[name] ?? null, value));
      if (isSame) return { ...maintenance, status };
      const { uid, resourceVersion } = origin.metadata;
      const body = { metadata: { uid, resourceVersion }, status: fields };
      const written = await writer.patch(
        refOf(origin),
        { type: 'merge', body, subresource: 'status' },
        signal,
      );
      return parsed(written, origin);
    },
    async end({ origin }, signal) {
      const { uid, resourceVersion, finalizers = [] } = origin.metadata;
      const left = finalizers.filter((name) => name !== FINALIZER);
      const body = { metadata: { uid, resourceVersion, finalizers: left } };
      await writer.patch(refOf(origin), { type: 'merge', body }, signal);
    },
  };
}

function parsed(written: KubeObject | undefined, { metadata }: KubeObject): Maintenance {
  if (!written) throw new Error(`NodeMaintenance "${metadata.name}" is gone`);
  return parseMaintenance(written);
}

/** Null takes away what was there before. */
function statusFields(object: KubeObject, status: Status, now: number): Readonly<Record<string, unknown>> {
  const { phase, message, prior, cordon, noout, clusters, groups, drain, blockedBy } = status;
  return {
    phase,
    message,
    prior: prior ?? null,
    cordon: cordon ?? null,
    noout,
    clusters,
    groups: groups ?? null,
    drain: drain ? { ...drain, progress: progressOf(drain) } : null,
    blockedBy,
    expiresAt: status.expiresAt ?? null,
    recoveringSince: status.recoveringSince ?? null,
    lastError: status.lastError ?? null,
    summary: { noout: nooutWords(status), osds: osdCount(status) },
    conditions: [readyCondition(object, phase, message, now)],
  };
}

/** In percent, as other node maintenance operators count. */
function progressOf({ total, pending }: { readonly total: number; readonly pending: number }): number {
  return total === 0 ? 100 : Math.max(0, Math.floor(((total - pending) * 100) / total));
}

function readyCondition(object: KubeObject, phase: Phase, message: string, now: number): object {
  const old = listAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === 'Ready');
  const status = phase === 'Ready' ? 'True' : 'False';
  const kept = textAt(old, 'status') === status ? textAt(old, 'lastTransitionTime') : undefined;
  return {
    type: 'Ready',
    status,
    reason: phase,
    message,
    lastTransitionTime: kept ?? new Date(now).toISOString(),
    observedGeneration: numberAt(object, 'metadata', 'generation') ?? 0,
  };
}
