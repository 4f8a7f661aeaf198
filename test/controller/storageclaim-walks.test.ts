import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listAt, textAt } from '#pkg/object';
import type { Target } from './client.ts';
import { blockPool, configMap, gadget, HELD, LET_GO, widget } from './objects.ts';
import { Recorder } from './recorder.ts';
import { Scene } from './scene.ts';
import { claim, composite, entry } from './storage-objects.ts';

const WAIT = { timeout: 40_000, interval: 50 };
let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.install.compose('configmaps', 'gadgets.test.example.com');
}, 180_000);

afterAll(() => scene?.close());

interface Stage {
  readonly ns: string;
  readonly root: Target;
  readonly mid: Target;
  readonly leaves: readonly Target[];
  readonly recorder: Recorder;
  readonly held: Target;
}

/** A composite of a ConfigMap and of another composite, which has two more; all ConfigMaps are held by a finalizer. */
async function build(ns: string, makeClaim: boolean, policy?: 'Background' | 'Foreground'): Promise<Stage> {
  await scene.namespace(ns);
  const leaves = ['leaf-1', 'leaf-2', 'leaf-3'].map((name) => configMap(ns, name));
  const [one, two, three] = leaves as [Target, Target, Target];
  const mid = composite(`${ns}-mid`, [entry('two', two), entry('three', three)]);
  const root = composite(`${ns}-root`, [entry('one', one), entry('mid', mid)]);
  const held = claim(ns, 'claim', `${ns}-root`, policy);
  await scene.make(root, ...(makeClaim ? [held] : []));
  await scene.untilReady(makeClaim ? held : root);
  for (const leaf of leaves) expect((await scene.client.patch(leaf, { metadata: HELD })).status).toBe(200);
  const recorder = await Recorder.open(
    scene.install.plane,
    `/api/v1/namespaces/${ns}/configmaps`,
    '/apis/rook-deps.io/v1alpha1/storagecomposites',
    `/apis/rook-deps.io/v1alpha1/namespaces/${ns}/storageclaims`,
  );
  return { ns, root, mid, leaves, recorder, held };
}

async function letGo({ leaves }: Stage): Promise<void> {
  for (const leaf of leaves) await scene.untilTerminating(leaf);
  for (const leaf of leaves) await scene.client.patch(leaf, LET_GO);
}

async function order(
  { ns, recorder, root, mid, leaves }: Stage,
  ...more: readonly Target[]
): Promise<readonly string[]> {
  await scene.untilGone(root, mid, ...leaves, ...more);
  return vi.waitFor(() => {
    const names = recorder.gone
      .map((name) => name.replace(`${ns}-`, ''))
      .filter((name) => !name.includes('kube-root'));
    expect(names).toHaveLength(3 + 2 + more.length);
    recorder.close();
    return names;
  }, WAIT);
}

const kubectlDelete = async (target: string, ...flags: readonly string[]): Promise<void> => {
  const { code, stderr } = await scene.install.kubectl(['delete', target, '--wait=false', ...flags]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
};

const indexOf = (names: readonly string[], name: string): number => {
  expect(names).toContain(name);
  return names.indexOf(name);
};

/** The garbage collector deletes what is owned once its owner is gone. */
function expectRootFirst(gone: readonly string[]): void {
  const rank = ['StorageComposite/root', 'StorageComposite/mid', 'ConfigMap/leaf-2'].map((name) =>
    indexOf(gone, name),
  );
  expect(rank).toEqual(rank.toSorted((a, b) => a - b));
  expect(gone.slice(-3).every((name) => name.startsWith('ConfigMap/leaf'))).toBe(true);
}

describe('before: references without blockOwnerDeletion, and claims that say nothing', () => {
  test('claim, background: the claim is gone at once, all else after it', async () => {
    const stage = await build('walk-1', true);
    await kubectlDelete('storageclaim/claim', '-n', 'walk-1');
    await scene.untilGone(stage.held, stage.root);
    expect(await scene.client.read(stage.leaves[0] as Target)).toBeDefined();
    await letGo(stage);
    const gone = await order(stage, stage.held);
    expectRootFirst(gone);
  });

  test('claim, --cascade=foreground on the command line alone: nothing waits', async () => {
    const stage = await build('walk-2', true);
    await kubectlDelete('storageclaim/claim', '-n', 'walk-2', '--cascade=foreground');
    await scene.untilGone(stage.held, stage.root);
    expect(await scene.client.read(stage.leaves[0] as Target)).toBeDefined();
    await letGo(stage);
    const gone = await order(stage, stage.held);
    expectRootFirst(gone);
  });

  const owned = async (
    ns: string,
    name: string,
  ): Promise<{ root: Target; leaf: Target; recorder: Recorder }> => {
    await scene.namespace(ns);
    const root = gadget(name);
    await scene.make(root);
    const uid = (await scene.client.read(root))?.metadata.uid;
    const owner = { apiVersion: root.apiVersion, kind: root.kind, name, uid, controller: true };
    const leaf = configMap(ns, 'leaf', { ...HELD, ownerReferences: [owner] });
    await scene.make(leaf);
    const recorder = await Recorder.open(
      scene.install.plane,
      `/api/v1/namespaces/${ns}/configmaps`,
      '/apis/test.example.com/v1/gadgets',
    );
    return { root, leaf, recorder };
  };
  const goneOf = (recorder: Recorder): readonly string[] =>
    recorder.gone.filter((name) => !name.includes('kube-root'));

  test('composite, background: the composite first', async () => {
    const { root, leaf, recorder } = await owned('walk-3', 'walk-3');
    await scene.client.delete(root, { propagationPolicy: 'Background' });
    await scene.untilGone(root);
    await scene.untilTerminating(leaf);
    await scene.client.patch(leaf, LET_GO);
    await scene.untilGone(leaf);
    await vi.waitFor(() => expect(goneOf(recorder)).toEqual(['Gadget/walk-3', 'ConfigMap/leaf']), WAIT);
    recorder.close();
  });

  test('composite, foreground: the composite does not wait for what lacks blockOwnerDeletion', async () => {
    const { root, leaf, recorder } = await owned('walk-4', 'walk-4');
    await scene.client.delete(root, { propagationPolicy: 'Foreground' });
    await scene.untilGone(root);
    await scene.untilTerminating(leaf);
    await scene.client.patch(leaf, LET_GO);
    await scene.untilGone(leaf);
    await vi.waitFor(() => expect(goneOf(recorder)).toEqual(['Gadget/walk-4', 'ConfigMap/leaf']), WAIT);
    recorder.close();
  });
});

describe('objects of Crossplane', () => {
  const crossplane = (kind: string, name: string, ns?: string): object => ({
    apiVersion: 'test.example.com/v1',
    kind,
    name,
    ...(ns ? { namespace: ns } : {}),
  });

  test('claim, composite and composed resource are followed, and a weak reference is told', async () => {
    const ns = await scene.namespace('crossplane');
    const [share, xshare] = [crossplane('Widget', 'share'), crossplane('Gadget', 'xshare')];
    const composed = { apiVersion: 'ceph.rook.io/v1', kind: 'CephBlockPool', name: 'pool', namespace: ns };
    const root = {
      ...gadget('xshare'),
      spec: { claimRef: { ...share, namespace: ns }, resourceRefs: [composed] },
    };
    const mine = { ...widget(ns, 'share'), spec: { resourceRef: xshare } };
    await scene.make(root, mine);
    const uid = (await scene.client.read(root))?.metadata.uid;
    const ownerReferences = [{ ...xshare, uid, controller: true }];
    const pool = blockPool(ns, 'pool');
    await scene.make({ ...pool, metadata: { ...pool.metadata, ownerReferences } } as Target);

    const tree = await scene.install.plugin([
      'tree',
      'widget.test.example.com/share',
      '-n',
      ns,
      '--no-headers',
    ]);
    expect(tree.stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | ').trimEnd())).toEqual([
      'Widget/share (crossplane)',
      '└─ Gadget/xshare | is claimed by (does not block)',
      ' | └─ CephBlockPool/pool | is controlled, without blockOwnerDeletion, by (does not block)',
      '',
    ]);
    const up = await scene.install.plugin(['tree', 'cephbp/pool', '-n', ns, '--up', '-o', 'name']);
    expect(up.stdout).toContain('widget.test.example.com/share\n');
    const why = await scene.install.plugin(['why', 'gadget.test.example.com/xshare', '-o', 'json']);
    const report = JSON.parse(why.stdout) as { related: { code: string; object: { name: string } }[] };
    expect(report.related.map(({ code, object }) => `${code} ${object.name}`)).toEqual(['RD062 pool']);
  });
});

describe('after', () => {
  test('claim, Background: no change', async () => {
    const stage = await build('walk-5', true, 'Background');
    await kubectlDelete('storageclaim/claim', '-n', 'walk-5');
    await scene.untilGone(stage.held, stage.root);
    await letGo(stage);
    const gone = await order(stage, stage.held);
    expectRootFirst(gone);
  });

  test('E8, claim, Foreground: the claim disappears only after the composite and all it is composed of', async () => {
    const stage = await build('walk-6', true, 'Foreground');
    await kubectlDelete('storageclaim/claim', '-n', 'walk-6');
    for (const leaf of stage.leaves) await scene.untilTerminating(leaf);
    const waiting = await scene.untilReason(stage.held, 'Deleting');
    expect(
      listAt(waiting, 'status', 'waitingFor')
        .map((part) => textAt(part, 'name') ?? '')
        .toSorted(),
    ).toEqual(['leaf-1', 'walk-6-mid', 'walk-6-root'].toSorted());
    expect((await scene.client.read(stage.root))?.metadata.finalizers).toContain('foregroundDeletion');
    await letGo(stage);
    const gone = await order(stage, stage.held);
    expect(gone.at(-1)).toBe('StorageClaim/claim');
    expect(gone.at(-2)).toBe('StorageComposite/root');
    const mid = indexOf(gone, 'StorageComposite/mid');
    for (const leaf of ['ConfigMap/leaf-2', 'ConfigMap/leaf-3'])
      expect(indexOf(gone, leaf)).toBeLessThan(mid);
  });

  test('composite, background: no change', async () => {
    const stage = await build('walk-7', false);
    await kubectlDelete('storagecomposite/walk-7-root');
    await scene.untilGone(stage.root);
    await letGo(stage);
    const gone = await order(stage);
    expectRootFirst(gone);
  });

  test('composite, --cascade=foreground: leaves first', async () => {
    const stage = await build('walk-8', false);
    await kubectlDelete('storagecomposite/walk-8-root', '--cascade=foreground');
    await letGo(stage);
    const gone = await order(stage);
    expect(gone.at(-1)).toBe('StorageComposite/root');
    const mid = indexOf(gone, 'StorageComposite/mid');
    for (const leaf of ['ConfigMap/leaf-2', 'ConfigMap/leaf-3'])
      expect(indexOf(gone, leaf)).toBeLessThan(mid);
  });

  test('rook-deps delete takes a claim down with all of it, and tree shows it', async () => {
    const stage = await build('walk-9', true, 'Foreground');
    for (const leaf of stage.leaves) await scene.client.patch(leaf, LET_GO);
    const tree = await scene.install.plugin(['tree', 'storageclaim/claim', '-n', 'walk-9', '--no-headers']);
    expect(tree.stdout.replaceAll(/ +/g, ' ')).toContain(`└─ StorageComposite/walk-9-root is claimed by`);
    expect(tree.stdout).toContain('ConfigMap/leaf-2');
    const up = await scene.install.plugin(['tree', 'configmap/leaf-2', '-n', 'walk-9', '--up', '-o', 'name']);
    expect(up.stdout).toContain('storageclaim.rook-deps.io/claim');
    const { code, stderr, stdout } = await scene.install.plugin([
      'delete',
      'storageclaim/claim',
      '-n',
      'walk-9',
      '--yes',
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('Go with their owners: 5 objects (3 ConfigMap, 2 StorageComposite)');
    expect(stdout).toContain('storageclaim.rook-deps.io "claim" deleted from walk-9 namespace');
    const gone = await order(stage, stage.held);
    expect(gone.at(-1)).toBe('StorageClaim/claim');
  });

  test('rook-deps delete leaves what somebody else owns, too, and does not wait for it', async () => {
    const ns = await scene.namespace('shared');
    const [part, held] = [configMap(ns, 'part'), claim(ns, 'claim', 'shared', 'Foreground')];
    const [whole, other] = [composite('shared', [entry('part', part)]), gadget('shared')];
    await scene.make(whole, held, other);
    await scene.untilReady(held);
    const [own] = (await scene.client.read(part))?.metadata.ownerReferences ?? [];
    const uid = (await scene.client.read(other))?.metadata.uid;
    const more = { apiVersion: other.apiVersion, kind: other.kind, name: 'shared', uid };
    await scene.client.patch(part, { metadata: { ownerReferences: [own, more] } });
    const stopped = await scene.install.plugin(['delete', 'storageclaim/claim', '-n', ns, '--yes']);
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('RD030  ConfigMap/part is owned by Gadget/shared, too');
    await scene.client.patch(held, { spec: { compositeDeletePolicy: 'Background' } });
    const { code, stderr } = await scene.install.plugin([
      'delete',
      'storageclaim/claim',
      '-n',
      ns,
      '--yes',
      '--timeout=30s',
    ]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('Stay:\n  ConfigMap/part is owned by Gadget/shared, too');
    await scene.untilGone(held, whole);
    expect((await scene.client.read(part))?.metadata.deletionTimestamp).toBeUndefined();
  });
});
