import { osdLabels } from '#test/fixtures/osds.ts';
import type { OsdPlace } from '../../scripts/ceph/index.ts';

export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';

/** As Rook makes it: bound to its node, or, where its disk is a claim, to the zone of that. */
export function osdDeployment(id: number, { zone, host, node }: OsdPlace): object {
  const labels = osdLabels(id, { zone, node: host });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `rook-ceph-osd-${id}`, namespace: 'rook-ceph', labels },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: { 'ceph-osd-id': String(id) } },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: node === undefined ? { [HOSTNAME]: host } : { [ZONE]: zone },
          terminationGracePeriodSeconds: 30,
          containers: [{ name: 'osd', image: 'ceph' }],
        },
      },
    },
  };
}
