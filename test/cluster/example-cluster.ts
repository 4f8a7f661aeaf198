import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '#pkg/object';

/** The cluster it is put on. */
interface Target {
  apply(objects: readonly object[]): Promise<KubeObject[]>;
  kubectl(args: readonly string[]): Promise<unknown>;
}

/** Puts the example on the server: owners get new UIDs, and what is terminating in the files is deleted there. */
export async function createExampleCluster(folder: string, { apply, kubectl }: Target): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const objects = texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => document.toJS() as KubeObject),
  );
  const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  await apply([...namespaces].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  const uids = new Map<string, string>();
  for (const object of ownersFirst(objects)) {
    const [stored] = await apply([applicable(object, uids)]);
    uids.set(object.metadata.uid ?? '', stored?.metadata.uid ?? '');
  }
  for (const { kind, metadata } of objects.filter(({ metadata }) => metadata.deletionTimestamp)) {
    await kubectl(['delete', kind, metadata.name, '-n', metadata.namespace ?? '', '--wait=false']);
  }
}

function ownersFirst(objects: readonly KubeObject[]): readonly KubeObject[] {
  const placed = new Set<string>();
  const order: KubeObject[] = [];
  for (let rest = [...objects]; rest.length > 0;) {
    const ready = rest.filter(({ metadata }) =>
      (metadata.ownerReferences ?? []).every(
        ({ uid }) => placed.has(uid) || !objects.some((o) => o.metadata.uid === uid),
      ),
    );
    if (ready.length === 0) throw new Error('the owners of the example form a circle');
    for (const object of ready) placed.add(object.metadata.uid ?? '');
    order.push(...ready);
    rest = rest.filter((object) => !ready.includes(object));
  }
  return order;
}

/** Without what only the server may write. */
function applicable(object: KubeObject, uids: ReadonlyMap<string, string>): object {
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = object.metadata;
  const owners = ownerReferences?.map((owner) => ({ ...owner, uid: uids.get(owner.uid) ?? owner.uid }));
  return {
    ...object,
    metadata: { name, namespace, labels, annotations, finalizers, ownerReferences: owners },
  };
}
