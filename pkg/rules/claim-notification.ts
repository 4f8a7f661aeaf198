import { Kinds } from '#pkg/object';
import type { Rule } from './rule.ts';

const PREFIX = 'bucket-notification-';

/** A bucket claim subscribes by label: `bucket-notification-NAME: NAME`. */
export const claimNotification: Rule = {
  code: 'RD009',
  title: 'A bucket claim that uses the notification',
  relation: 'is notified by',
  blocks: true,
  reads: [Kinds.ObjectBucketClaim],
  reading: 'metadata',
  targets: [Kinds.CephBucketNotification],
  meaning:
    'An ObjectBucketClaim with the label bucket-notification-NAME wants the events of its bucket delivered.',
  remedy: ['Remove the label from the claim, or delete the claim, before the notification.'],
  *references(claim) {
    for (const [label, name] of Object.entries(claim.metadata.labels ?? {})) {
      if (!name || label !== `${PREFIX}${name}`) continue;
      yield {
        to: {
          group: 'ceph.rook.io',
          kind: 'CephBucketNotification',
          namespace: claim.metadata.namespace,
          name,
        },
        field: `metadata.labels.${label}`,
      };
    }
  },
};
