import { Kinds, recordAt, refOf, type KubeObject } from '#pkg/object';
import { grantsOf, settingsOf } from './caps-grammar.ts';
import type { Lookup } from './lookup.ts';
import type { Reference, Rule } from './rule.ts';

/** A CephClient says what it uses only in its capabilities. */
export const clientCaps: Rule = {
  code: 'RD017',
  title: 'A Ceph client with access to the pool or filesystem',
  relation: 'has access to',
  blocks: true,
  reads: [Kinds.CephClient],
  targets: [Kinds.CephBlockPool, Kinds.CephFilesystem, Kinds.CephObjectStore, Kinds.CephObjectZone],
  meaning:
    'The capabilities of a CephClient name a pool (pool=NAME) or a filesystem (fsname=NAME, tag cephfs data=NAME). ' +
    'Somebody made it to store data there, most likely from outside of Kubernetes.',
  remedy: [
    'Find out who uses the key of the client. Take the pool out of its capabilities, or delete the client.',
  ],
  *references(client, lookup) {
    for (const [daemon, caps] of Object.entries(recordAt(client, 'spec', 'caps'))) {
      if (typeof caps !== 'string') continue;
      for (const grant of grantsOf(caps))
        yield* grantReferences(client, grant, `spec.caps.${daemon}`, lookup);
    }
  },
};

function* grantReferences(
  client: KubeObject,
  grant: readonly string[],
  field: string,
  lookup: Lookup,
): Iterable<Reference> {
  const namespace = client.metadata.namespace ?? '';
  const settings = [...settingsOf(grant)];
  const tagsFilesystem = settings.some(({ key, value }) => key === 'tag' && value === 'cephfs');
  for (const { key, value, detail } of settings) {
    if (key === 'pool') {
      for (const owner of lookup.poolOwners(namespace, value)) yield { to: refOf(owner), field, detail };
    } else if (key === 'fsname' || (tagsFilesystem && ['data', 'metadata', '*'].includes(key))) {
      const filesystem = lookup.object(Kinds.CephFilesystem, namespace, value);
      if (filesystem) yield { to: refOf(filesystem), field, detail };
    }
  }
}
