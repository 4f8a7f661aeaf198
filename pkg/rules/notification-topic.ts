import { Kinds } from '#pkg/object';
import { byName } from './by-name.ts';

export const notificationTopic = byName({
  code: 'RD008',
  title: 'A bucket notification that sends to the topic',
  relation: 'sends to',
  reads: Kinds.CephBucketNotification,
  field: ['spec', 'topic'],
  target: Kinds.CephBucketTopic,
  meaning: 'A CephBucketNotification delivers through the topic. Without it, events of the buckets are lost.',
  remedy: ['Point the notification to another topic, or delete it, before the topic.'],
});
