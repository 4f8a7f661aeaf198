import type { Ceph } from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import type { Logger } from '#pkg/log';
import type { KubeObject, Reader, Writer } from '#pkg/object';

export interface DisruptionPorts {
  readonly reader: Pick<Reader, 'get' | 'list'>;
  readonly writer: Writer;
  /** The way to the Ceph of a cluster, if there is one. */
  cephOf(cluster: KubeObject): Ceph | undefined;
  record(object: KubeObject, reason: string, note: string, signal: AbortSignal): Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}
