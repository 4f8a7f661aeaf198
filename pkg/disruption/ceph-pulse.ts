import type { OsdMap, Quorum } from '#pkg/ceph';
import { drainSettings } from '#pkg/drain';
import { isTrueAt, keyOf, Kinds, type KubeObject, type ObjectKey, type ObjectRef } from '#pkg/object';
import { needsQuorum } from './daemon-budgets.ts';
import type { DisruptionPorts } from './ports.ts';

/** How often Ceph is asked who is there. Each question is a process where Ceph is asked. */
const PULSE_MS = 15_000;

type PulsePorts = Pick<DisruptionPorts, 'reader' | 'cephOf' | 'clock' | 'logger'>;

/**
 * Feels for what only Ceph knows, as DisruptionWatch does for Kubernetes: an OSD that hangs, or that nobody reaches, is
 * down long before its pod is not ready, and so is a monitor. Two small questions; whose turn it is looks at everything.
 */
export class CephPulse {
  readonly #ports: PulsePorts;
  readonly #clusters: () => Iterable<ObjectRef>;
  readonly #turn: (cluster: ObjectRef) => void;

  constructor(ports: PulsePorts, clusters: () => Iterable<ObjectRef>, turn: (cluster: ObjectRef) => void) {
    this.#ports = ports;
    this.#clusters = clusters;
    this.#turn = turn;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let before: ReadonlyMap<ObjectKey, string> = new Map(); ;) {
      before = await this.#beat(before, signal);
      await this.#ports.clock.sleep(PULSE_MS, signal);
    }
  }

  async #beat(
    before: ReadonlyMap<ObjectKey, string>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<ObjectKey, string>> {
    const felt = await Promise.all(
      [...this.#clusters()].map(async (ref) => {
        const key = keyOf(ref);
        const sign = await this.#feel(ref, signal);
        // The first time, too: something may have happened since the look that went before.
        if (sign !== undefined && sign !== before.get(key)) this.#turn(ref);
        // Silence is no news, and who looks meets it as well.
        const known = sign ?? before.get(key);
        return known === undefined ? [] : [[key, known] as const];
      }),
    );
    return new Map(felt.flat());
  }

  async #feel(ref: ObjectRef, signal: AbortSignal): Promise<string | undefined> {
    try {
      const cluster = await this.#ports.reader.get(Kinds.CephCluster, ref.namespace, ref.name, signal);
      return cluster && isOurTask(cluster) ? await this.#signOf(cluster, signal) : undefined;
    } catch (err) {
      signal.throwIfAborted();
      this.#ports.logger.debug('cannot tell who is there', { object: keyOf(ref), err });
      return undefined;
    }
  }

  async #signOf(cluster: KubeObject, signal: AbortSignal): Promise<string | undefined> {
    const ceph = this.#ports.cephOf(cluster);
    if (!ceph) return undefined;
    const osdMap = await ceph.osdMap(signal);
    return signOf(osdMap, needsQuorum(cluster) ? await ceph.quorum(signal) : undefined);
  }
}

function isOurTask(cluster: KubeObject): boolean {
  return !drainSettings(cluster).isRooks && !isTrueAt(cluster, 'spec', 'external', 'enable');
}

/** Who is there, and how many copies there have to be: a pool that wants more may lack them. */
function signOf({ osds, pools }: OsdMap, quorum: Quorum | undefined): string {
  return JSON.stringify([
    osds.map(({ id, isUp, isIn }) => [id, isUp, isIn]),
    pools.map(({ id, size, minSize, crushRule }) => [id, size, minSize, crushRule]),
    quorum && [quorum.monitors, quorum.inQuorum.toSorted()],
  ]);
}
