import { Kinds } from '#pkg/object';
import type { MaintenanceNote } from '#pkg/verdict';
import { entriesIn, LEDGER } from './config-map-ledger.ts';
import { MAINTENANCE, parseMaintenance, type Maintenance } from './maintenance.ts';
import { listAll, type ObserverReader } from './observe.ts';

/** All maintenances, whoever carries them out, for those who only want to know of them. */
export async function maintenanceNotes(
  reader: ObserverReader,
  signal: AbortSignal,
): Promise<readonly MaintenanceNote[]> {
  const [resources, ledger] = await Promise.all([
    listAll(reader, MAINTENANCE, {}, signal),
    reader.get(Kinds.ConfigMap, LEDGER.namespace, LEDGER.name, signal),
  ]);
  return [...resources.map(parseMaintenance), ...entriesIn(ledger)].map(noteOf);
}

function noteOf({ request, status, isStopping }: Maintenance): MaintenanceNote {
  const { node, reason, requestedBy } = request;
  const { phase, message, prior } = status;
  return {
    node,
    phase,
    message,
    ...(prior ? { since: prior.recordedAt } : {}),
    ...(requestedBy ? { requestedBy } : {}),
    ...(reason ? { reason } : {}),
    isStopping,
  };
}
