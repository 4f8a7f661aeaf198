import { Kinds, textAt } from '#pkg/object';
import type { Rule } from './rule.ts';

/** A topic names its store with an explicit namespace. */
export const topicStore: Rule = {
  code: 'RD007',
  title: 'A bucket topic of the object store',
  relation: 'publishes events of',
  blocks: true,
  reads: [Kinds.CephBucketTopic],
  targets: [Kinds.CephObjectStore],
  across: true,
  meaning: 'A CephBucketTopic is kept by the store and sends its events. It may live in another namespace.',
  remedy: ['Delete the notifications that use the topic, then the topic, before the store.'],
  *references(topic) {
    const name = textAt(topic, 'spec', 'objectStoreName');
    const namespace = textAt(topic, 'spec', 'objectStoreNamespace') ?? topic.metadata.namespace;
    if (!name) return;
    yield {
      to: { group: 'ceph.rook.io', kind: 'CephObjectStore', namespace, name },
      field: 'spec.objectStoreName',
    };
  },
};
