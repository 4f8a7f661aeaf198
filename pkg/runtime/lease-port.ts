import { fieldAt, type Reader, type Writer } from '#pkg/object';
import { LEASE, type LeasePort } from './lease.ts';

/** Leases by way of what reads and writes any object. Had better have connections of its own: a renewal cannot queue. */
export function leasePort(reader: Pick<Reader, 'get'>, writer: Pick<Writer, 'create' | 'patch'>): LeasePort {
  return {
    get: (namespace, name, signal) => reader.get(LEASE, namespace, name, signal),
    create: (lease, signal) => writer.create(lease, {}, signal),
    async update(lease, signal) {
      const { namespace, name, resourceVersion } = lease.metadata;
      // A patch that names a version is refused unless that is the stored one.
      if (!resourceVersion) throw new Error(`lease "${name}" has no resourceVersion`);
      const body = { metadata: { resourceVersion }, spec: fieldAt(lease, 'spec') };
      const stored = await writer.patch({ ...LEASE, namespace, name }, { type: 'merge', body }, signal);
      if (!stored) throw new Error(`lease "${name}" is gone`);
      return stored;
    },
  };
}
