import { beforeAll, expect, test } from 'vitest';
import { currentHolders } from '#pkg/criticalservice';
import type { Watcher } from '#pkg/kube';
import { controlPlane, describeOnCluster, freshNamespace } from './control-plane.ts';
import { liveClient, type LiveClient } from './live-client.ts';

const KIND = { group: '', kind: 'ConfigMap' };
const LIMIT = { timeout: 60_000 };
const LET_GO = { type: 'merge', body: { metadata: { finalizers: null } } } as const;

let client: LiveClient;
let namespace: string;
/** Pages. */
let listed: number;

function counting(watcher: Watcher): Watcher {
  return {
    watch: (request, signal) => watcher.watch(request, signal),
    async *pages(selection, limit, signal) {
      for await (const page of watcher.pages(selection, limit, signal)) {
        listed += 1;
        yield page;
      }
    },
  };
}

/** Returns the version that it was made at. */
async function make(name: string, signal: AbortSignal, ...finalizers: readonly string[]): Promise<string> {
  const metadata = { name, namespace, finalizers };
  const made = await client.writer.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, {}, signal);
  return made.metadata.resourceVersion ?? '';
}

/** Those with a finalizer, by one who has been told of none up to a version, as if all others were too many to list. */
function holders(
  finalizer: string,
  resourceVersion: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  listed = 0;
  const limits = { page: 1, many: 0 };
  const known = (): { resourceVersion: string; names: readonly string[] } => ({ resourceVersion, names: [] });
  return currentHolders(KIND, finalizer, { watcher: counting(client.watcher), known, limits }, signal);
}

describeOnCluster('of a kind with very many objects', () => {
  beforeAll(async () => {
    client = await liveClient(controlPlane());
    namespace = await freshNamespace('holders');
  }, 60_000);

  test('what the watch has not told yet is read, and nothing else', LIMIT, async ({ signal }) => {
    const finalizer = 'example.com/late';
    await make('first', signal);
    const told = await make('second', signal);
    expect(await holders(finalizer, told, signal)).toEqual([]);
    await make('zz-late', signal, finalizer);
    expect(await holders(finalizer, told, signal)).toEqual([`${namespace}/zz-late`]);
    expect(listed).toBe(1);
    await client.writer.patch({ ...KIND, namespace, name: 'zz-late' }, LET_GO, signal);
    // The server's version is now beyond any of this kind: only a bookmark can tell.
    const metadata = { name: 'noise', namespace };
    await client.writer.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, {}, signal);
    expect(await holders(finalizer, told, signal)).toEqual([]);
    expect(listed).toBe(1);
  });
});
