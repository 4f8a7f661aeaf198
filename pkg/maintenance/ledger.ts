import type { Maintenance } from './maintenance.ts';
import type { Status } from './status.ts';

/** Where maintenances are written down: as resources for the controller, or in a ConfigMap for a command without one. */
export interface Ledger {
  /** All of them. Throws when they could not be read: unknown is not none. */
  all(signal: AbortSignal): Promise<readonly Maintenance[]>;
  find(node: string, signal: AbortSignal): Promise<Maintenance | undefined>;
  /** Before anything is changed: from then on it is not gone before all is taken back. A conflict if somebody else wrote first. */
  hold(maintenance: Maintenance, signal: AbortSignal): Promise<Maintenance>;
  /** Writes what has changed, or nothing. A conflict if somebody else wrote first. */
  keep(maintenance: Maintenance, status: Status, signal: AbortSignal): Promise<Maintenance>;
  /** It is over: nothing of it is left. */
  end(maintenance: Maintenance, signal: AbortSignal): Promise<void>;
}
