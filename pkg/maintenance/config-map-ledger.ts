import {
  fieldAt,
  isAlreadyExists,
  isConflict,
  isTrueAt,
  Kinds,
  recordAt,
  refOf,
  type KubeObject,
  type ObjectRef,
} from '#pkg/object';
import type { Ledger } from './ledger.ts';
import { parseRequest, requestFields, type Maintenance, type MaintenanceRequest } from './maintenance.ts';
import type { LedgerPorts } from './resource-ledger.ts';
import { NEW_STATUS, parseStatus, sameStatus } from './status.ts';

/** One for all nodes, in a namespace that every cluster has: whoever comes after a crash finds it by its name. */
export const LEDGER: ObjectRef = {
  group: '',
  kind: Kinds.ConfigMap.kind,
  namespace: 'kube-system',
  name: 'rook-deps-maintenance',
};

/** Maintenances that commands carry out by themselves. An entry for each node; without any, nothing is left. */
export interface CommandLedger extends Ledger {
  /** Writes down a request; one that is there already is returned as it is. */
  begin(request: MaintenanceRequest, signal: AbortSignal): Promise<Maintenance>;
  /** Writes down that it has to end. */
  stop(maintenance: Maintenance, signal: AbortSignal): Promise<Maintenance>;
}

type Entry = Pick<Maintenance, 'request' | 'isStopping' | 'status'>;
const MAX_TRIES = 20;

export function configMapLedger({ reader, writer }: LedgerPorts): CommandLedger {
  const read = (signal: AbortSignal): Promise<KubeObject | undefined> =>
    reader.get(Kinds.ConfigMap, LEDGER.namespace, LEDGER.name, signal);

  async function write(
    origin: KubeObject,
    node: string,
    entry: Entry,
    signal: AbortSignal,
  ): Promise<Maintenance> {
    const { uid, resourceVersion } = origin.metadata;
    const body = { metadata: { uid, resourceVersion }, data: { [node]: entryText(entry) } };
    const written = await writer.patch(refOf(origin), { type: 'merge', body }, signal);
    if (!written) throw new Error(`ConfigMap "${LEDGER.name}" is gone`);
    return { ...entry, origin: written };
  }

  return {
    async all(signal) {
      return entriesIn(await read(signal));
    },
    async find(node, signal) {
      const object = await read(signal);
      return object && entryOf(object, node);
    },
    begin: (request, signal) =>
      again(async () => {
        const object = await read(signal);
        const known = object && entryOf(object, request.node);
        if (known) return known;
        const entry: Entry = { request, isStopping: false, status: NEW_STATUS };
        if (object) return write(object, request.node, entry, signal);
        const origin = await writer.create(ledgerObject(request.node, entry), {}, signal);
        return { ...entry, origin };
      }),
    stop: (maintenance, signal) =>
      again(async () => {
        const object = await read(signal);
        const known = object && entryOf(object, maintenance.request.node);
        if (!known || known.isStopping) return known ?? { ...maintenance, isStopping: true };
        return write(object, known.request.node, { ...known, isStopping: true }, signal);
      }),
    // Nobody deletes an entry but us.
    hold: (maintenance) => Promise.resolve(maintenance),
    async keep(maintenance, status, signal) {
      if (sameStatus(maintenance.status, status)) return maintenance;
      return write(maintenance.origin, maintenance.request.node, { ...maintenance, status }, signal);
    },
    end: (maintenance, signal) =>
      again(async () => {
        const object = await read(signal);
        const { node } = maintenance.request;
        if (!object || !entryOf(object, node)) return;
        const others = Object.keys(recordAt(object, 'data')).filter((name) => name !== node);
        const { uid, resourceVersion } = object.metadata;
        if (others.length === 0) await writer.delete(LEDGER, { uid, resourceVersion }, signal);
        else {
          const body = { metadata: { uid, resourceVersion }, data: { [node]: null } };
          await writer.patch(LEDGER, { type: 'merge', body }, signal);
        }
      }),
  };
}

/** Other nodes are in the same object: who writes second tries again. */
async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === MAX_TRIES || !(isConflict(error) || isAlreadyExists(error))) throw error;
    }
  }
}

/** Every maintenance that is written down in it. */
export function entriesIn(object: KubeObject | undefined): readonly Maintenance[] {
  if (!object) return [];
  return Object.keys(recordAt(object, 'data')).flatMap((node) => entryOf(object, node) ?? []);
}

function entryText({ request, isStopping, status }: Entry): string {
  return JSON.stringify({ spec: requestFields(request), ...(isStopping ? { stopping: true } : {}), status });
}

function entryOf(object: KubeObject, node: string): Maintenance | undefined {
  const text = fieldAt(object, 'data', node);
  if (typeof text !== 'string') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`entry "${node}" of ConfigMap ${LEDGER.namespace ?? ''}/${LEDGER.name} cannot be read`);
  }
  return {
    request: parseRequest(fieldAt(value, 'spec'), node),
    isStopping: isTrueAt(value, 'stopping'),
    status: parseStatus(fieldAt(value, 'status')),
    origin: object,
  };
}

function ledgerObject(node: string, entry: Entry): KubeObject {
  const { namespace = '', name } = LEDGER;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'rook-deps' } },
    data: { [node]: entryText(entry) },
  };
}
