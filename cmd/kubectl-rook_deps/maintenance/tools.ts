import { hostname } from 'node:os';
import { systemClock } from '#pkg/clock';
import { DEFAULT_NAMESPACE, findInstalled, LEASE_NAME } from '#pkg/install';
import {
  configMapLedger,
  MAINTENANCE,
  resourceLedger,
  type CommandLedger,
  type Ledger,
  type Maintenance,
  type MaintenancePorts,
} from '#pkg/maintenance';
import { isForbidden, numberAt, textAt } from '#pkg/object';
import type { Args } from '../args.ts';
import { cephWays } from '../ceph.ts';
import { eventRecorder } from '../controller/kube-ports.ts';
import type { Io } from '../io.ts';
import { openCluster, type Cluster } from '../wiring.ts';

/** What the maintenance commands work with. */
export interface Tools {
  readonly cluster: Cluster;
  readonly ports: MaintenancePorts;
  /** What the controller does. */
  readonly resources: Ledger;
  /** What commands do by themselves. */
  readonly commands: CommandLedger;
  close(): void;
}

const MAX_QUESTIONS = 4;
const LEASE = { group: 'coordination.k8s.io', kind: 'Lease' };
/** Longer than its lease lasts: clocks of two machines differ. */
const SILENCE_MS = 60_000;

export async function openTools(args: Args, io: Io): Promise<Tools> {
  const cluster = await openCluster(args, io);
  const { Limiter } = await import('#pkg/kube');
  const { reader, writer, evict, exec } = cluster;
  const conf = args.text('ceph-conf');
  const nodes = new Set(args.words.slice(1));
  const ways = { reader, writer, exec, conf, env: io.env, avoids: (node: string) => nodes.has(node) };
  const ledgerPorts = { reader, writer, now: io.now };
  const [resources, commands] = [resourceLedger(ledgerPorts), configMapLedger(ledgerPorts)];
  const ports: MaintenancePorts = {
    reader,
    writer,
    evict,
    ledgers: [resources, commands],
    cephOf: cephWays(ways, new Limiter(MAX_QUESTIONS)),
    clock: systemClock,
    // An Event is for others: whoever runs this sees for themselves.
    record: eventRecorder(writer, hostname(), io.now, () => undefined),
  };
  return { cluster, ports, resources, commands, close: () => cluster.close() };
}

/** The maintenance of a node, and who carries it out. */
export interface Found {
  readonly maintenance: Maintenance;
  readonly by: 'controller' | 'command';
}

export async function findMaintenance(
  node: string,
  { resources, commands }: Tools,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const [resource, entry] = await Promise.all([resources.find(node, signal), commands.find(node, signal)]);
  if (resource) return { maintenance: resource, by: 'controller' };
  return entry && { maintenance: entry, by: 'command' };
}

/** Whether there is a controller, and it is alive: else nobody would do what a resource asks for. */
export async function hasController(
  { cluster: { reader } }: Tools,
  now: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await reader.types(signal)).find(MAINTENANCE)) return false;
  const installed = await findInstalled(reader, signal);
  const namespace = installed && 'namespace' in installed ? installed.namespace : DEFAULT_NAMESPACE;
  try {
    const lease = await reader.get(LEASE, namespace, LEASE_NAME, signal);
    const renewed = Date.parse(textAt(lease, 'spec', 'renewTime') ?? '');
    const lastsMs = Math.max(SILENCE_MS, (numberAt(lease, 'spec', 'leaseDurationSeconds') ?? 0) * 1000);
    return textAt(lease, 'spec', 'holderIdentity') !== undefined && now - renewed < lastsMs;
  } catch (error) {
    // Who may not look is no proof that nobody is there.
    if (isForbidden(error)) return true;
    throw error;
  }
}
