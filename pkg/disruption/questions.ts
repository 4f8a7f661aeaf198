import type { Ceph } from '#pkg/ceph';
import { drainSettings, viewCeph, viewHealth, type CephView, type Health } from '#pkg/drain';
import type { KubeObject } from '#pkg/object';
import type { Memory } from './memory.ts';
import type { DisruptionPorts } from './ports.ts';

/** What one look asks Ceph. Each answer is undefined where there is no way to it, or it is silent. */
export class Questions {
  readonly ceph: Ceph | undefined;
  readonly #cluster: KubeObject;
  readonly #ports: DisruptionPorts;
  readonly #memory: Memory;

  constructor(cluster: KubeObject, ports: DisruptionPorts, memory: Memory) {
    this.ceph = ports.cephOf(cluster);
    this.#cluster = cluster;
    this.#ports = ports;
    this.#memory = memory;
  }

  readonly silence = (err: Error): void => this.#ports.logger.error('Ceph does not answer', { err });

  async view(signal: AbortSignal): Promise<CephView | undefined> {
    const view = this.ceph && (await viewCeph(this.ceph, this.#memory.layout, this.silence, signal));
    if (view) this.#memory.layout = view.layout;
    return view;
  }

  /** May take as long as Ceph may be silent. */
  async health(signal: AbortSignal): Promise<Health | undefined> {
    if (!this.ceph) return undefined;
    const { healthy, trouble } = drainSettings(this.#cluster);
    if (trouble !== undefined) this.#ports.logger.error(trouble, {});
    return viewHealth(this.ceph, healthy, this.#ports.clock, this.silence, signal);
  }
}
