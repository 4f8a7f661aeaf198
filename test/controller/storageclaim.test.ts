import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isRecord, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import { acceptedDeletions, deletionAnswers } from './accepted-deletions.ts';
import type { Target } from './client.ts';
import { criticalService, deployment, noFinalizer, providerOf } from './critical-objects.ts';
import { chosen, configMap, HELD, LET_GO, usage } from './objects.ts';
import { Recorder } from './recorder.ts';
import { Scene } from './scene.ts';
import { claim, composite, entry } from './storage-objects.ts';

const WAIT = { timeout: 40_000, interval: 50 };
let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.install.compose('configmaps', 'secrets');
}, 180_000);

afterAll(() => scene?.close());

const condition = (object: KubeObject | undefined, type: string): unknown =>
  listAt(object, 'status', 'conditions').find((item) => textAt(item, 'type') === type);

async function untilSynced(target: Target, reason: string): Promise<string> {
  return vi.waitFor(async () => {
    const synced = condition(await scene.client.read(target), 'Synced');
    expect(textAt(synced, 'reason')).toBe(reason);
    return textAt(synced, 'message') ?? '';
  }, WAIT);
}

async function isAlive(...targets: readonly Target[]): Promise<void> {
  for (const target of targets) {
    const object = await scene.client.read(target);
    expect(object).toBeDefined();
    expect(object?.metadata.deletionTimestamp).toBeUndefined();
  }
}

const data = (object: Target, content: Readonly<Record<string, string>>): Target =>
  ({ ...object, data: content }) as Target;

describe('a filesystem, an NFS server on it, and the usage between them', () => {
  const rook = (kind: string, ns: string, name: string, spec: object, part: string): Target =>
    ({
      apiVersion: 'ceph.rook.io/v1',
      kind,
      metadata: { name, namespace: ns, labels: { part } },
      spec,
    }) as Target;
  const pool = { replicated: { size: 3 } };

  async function build(ns: string, policy: 'Background' | 'Foreground') {
    await scene.namespace(ns);
    const spec = { metadataPool: pool, dataPools: [pool], metadataServer: { activeCount: 1 } };
    const used = rook('CephFilesystem', ns, 'fs', spec, 'used');
    const using = { ...rook('CephNFS', ns, 'nfs', { server: { active: 1 } }, 'using') };
    const of = chosen(used, { matchControllerRef: true, matchLabels: { part: 'used' } });
    const by = chosen(using, { matchControllerRef: true, matchLabels: { part: 'using' } });
    const uses = (name: string): Target => usage(ns, name, { of, by });
    const [first, second] = [uses('first'), uses('second')];
    const parts = (held: Target): readonly object[] => [
      entry('fs', used),
      entry('nfs', using),
      entry(held.metadata.name, held),
    ];
    const whole = composite(ns, parts(first));
    const mine = claim(ns, 'claim', ns, policy);
    await scene.make(whole, mine);
    await scene.untilReady(first);
    // As Rook would. The client makes plurals with an s alone.
    const nfs = { apiVersion: 'ceph.rook.io/v1', kind: 'CephNFSe', metadata: using.metadata };
    await scene.client.patch(used, { status: { phase: 'Ready' } }, { subresource: 'status' });
    await scene.client.patch(nfs, { status: { phase: 'Ready' } }, { subresource: 'status' });
    await scene.untilReady(mine);
    await scene.untilMarked(used);
    await scene.client.patch(nfs, { metadata: HELD });
    // The old usage is replaced by another one.
    await scene.client.patch(whole, { spec: { resources: parts(second) } });
    await scene.untilGone(first);
    await scene.untilReady(second);
    return { whole, mine, used, using: nfs, held: second };
  }

  test('E7: in the background, the used one is not even terminating while the using one exists', async () => {
    const { whole, mine, used, using, held } = await build('e7-background', 'Background');
    await scene.client.delete(mine);
    await scene.untilGone(mine, whole);
    await scene.untilTerminating(using);
    // Time for the garbage collector to be refused, and for us to try in its place.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await isAlive(held, used);
    await scene.client.patch(using, LET_GO);
    const started = Date.now();
    await scene.untilGone(using, held, used);
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  test('E7, E8: in the foreground, the same, and the claim goes last', async () => {
    const { whole, mine, used, using, held } = await build('e7-foreground', 'Foreground');
    const recorder = await Recorder.open(
      scene.install.plane,
      '/apis/ceph.rook.io/v1/namespaces/e7-foreground/cephfilesystems',
      '/apis/ceph.rook.io/v1/namespaces/e7-foreground/cephnfses',
      '/apis/rook-deps.io/v1alpha1/namespaces/e7-foreground/usages',
      '/apis/rook-deps.io/v1alpha1/namespaces/e7-foreground/storageclaims',
      '/apis/rook-deps.io/v1alpha1/storagecomposites',
    );
    await scene.client.delete(mine);
    await scene.untilTerminating(using);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await isAlive(used);
    expect(textAt(condition(await scene.client.read(mine), 'Ready'), 'message')).toContain(
      'CephNFS "e7-foreground/nfs"',
    );
    await scene.client.patch(using, LET_GO);
    const started = Date.now();
    await scene.untilGone(using, held, used, whole, mine);
    expect(Date.now() - started).toBeLessThan(10_000);
    await vi.waitFor(() => expect(recorder.gone).toContain('StorageClaim/claim'), WAIT);
    recorder.close();
    expect(recorder.isGoneBeforeTerminating('CephNFS/nfs', 'CephFilesystem/fs')).toBe(true);
    expect(recorder.gone.filter((name) => !name.startsWith('Usage/'))).toEqual([
      'CephNFS/nfs',
      'CephFilesystem/fs',
      'StorageComposite/e7-foreground',
      'StorageClaim/claim',
    ]);
  });
});

describe('a composite', () => {
  test('G3, G4: an entry that is removed is deleted, and what is wanted is left', async () => {
    const ns = await scene.namespace('g3');
    const [kept, removed] = [configMap(ns, 'kept'), configMap(ns, 'removed')];
    const whole = composite('g3', [entry('kept', kept), entry('removed', removed)]);
    await scene.make(whole);
    await scene.untilReady(whole);
    const before = await scene.client.read(kept);
    expect(before?.metadata.ownerReferences).toMatchObject([
      { kind: 'StorageComposite', name: 'g3', controller: true, blockOwnerDeletion: true },
    ]);
    await scene.client.patch(removed, { metadata: HELD });
    await scene.client.patch(whole, { spec: { resources: [entry('kept', kept)] } });
    await scene.untilTerminating(removed);
    expect((await scene.client.read(removed))?.metadata.labels?.['rook-deps.io/composite']).toBeUndefined();
    expect(textAt(condition(await scene.client.read(whole), 'Ready'), 'status')).toBeDefined();
    await scene.client.patch(removed, LET_GO);
    await scene.untilGone(removed);
    await scene.untilReady(whole);
    expect((await scene.client.read(kept))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    expect(listAt(await scene.client.read(whole), 'status', 'resources')).toHaveLength(1);
  });

  test('G1, G2: what has another controller, or none, is not deleted', async () => {
    const ns = await scene.namespace('g1');
    const [foreign, free, stays] = ['foreign', 'free', 'stays'].map((name) => configMap(ns, name)) as [
      Target,
      Target,
      Target,
    ];
    const whole = composite('g1', [entry('foreign', foreign), entry('free', free), entry('stays', stays)]);
    await scene.make(whole);
    await scene.untilReady(whole);
    await scene.killController();
    const uid = (await scene.client.read(stays))?.metadata.uid;
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'stays', uid, controller: true };
    await scene.client.patch(foreign, { metadata: { ownerReferences: [other] } });
    await scene.client.patch(free, { metadata: { ownerReferences: null } });
    // Nobody reviews it while the controller is away; the schema does not mind.
    await scene.install.kubectl(['delete', 'validatingwebhookconfiguration', 'rook-deps']);
    await scene.client.patch(whole, { spec: { resources: [entry('stays', stays)] } });
    await scene.restartController();
    expect(await untilSynced(whole, 'NotOurs')).toContain(
      'is controlled by ConfigMap "stays", so it is not deleted',
    );
    await isAlive(foreign, free, stays);
    await scene.client.delete(foreign);
    await untilSynced(whole, 'Applied');
    await isAlive(free);
  });

  test('is put right when somebody changes or deletes a part, and nothing is written at rest', async () => {
    const ns = await scene.namespace('drift');
    const part = configMap(ns, 'part');
    const whole = composite('drift', [entry('part', data(part, { key: 'right', other: 'too' }))]);
    await scene.make(whole);
    await scene.untilReady(whole);
    await scene.client.patch(part, { data: { key: 'wrong', other: null, more: 'theirs' } });
    await vi.waitFor(async () => {
      expect(recordAt(await scene.client.read(part), 'data')).toEqual({
        key: 'right',
        other: 'too',
        more: 'theirs',
      });
    }, WAIT);
    const uid = (await scene.client.read(part))?.metadata.uid;
    await scene.client.delete(part);
    await vi.waitFor(async () => {
      const now = await scene.client.read(part);
      expect(now).toBeDefined();
      expect(now?.metadata.uid).not.toBe(uid);
    }, WAIT);
    await vi.waitFor(async () => {
      const [listed] = listAt(await scene.client.read(whole), 'status', 'resources');
      expect(textAt(listed, 'uid')).toBe((await scene.client.read(part))?.metadata.uid);
    }, WAIT);
    const before = (await scene.client.read(whole))?.metadata.resourceVersion;
    const patched = await scene.client.patch(part, { metadata: { labels: { theirs: 'yes' } } });
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect((await scene.client.read(whole))?.metadata.resourceVersion).toBe(before);
    expect((await scene.client.read(part))?.metadata.resourceVersion).toBe(
      textAt(patched.body, 'metadata', 'resourceVersion'),
    );
  });

  test('leaves an object alone that was there before it', async () => {
    const ns = await scene.namespace('before');
    const there = configMap(ns, 'there');
    const whole = composite('before', [entry('there', data(there, { key: 'ours' }))]);
    await scene.make(data(there, { key: 'theirs' }), whole);
    expect(await untilSynced(whole, 'NotOurs')).toContain(
      'was there before and does not belong to this composite',
    );
    expect(recordAt(await scene.client.read(there), 'data')).toEqual({ key: 'theirs' });
    await scene.client.delete(whole);
    await scene.untilGone(whole);
    await isAlive(there);
  });

  test('keeps its parts while its kind is not served', async () => {
    const ns = await scene.namespace('unserved');
    const [first, second] = [configMap(ns, 'first'), configMap(ns, 'second')];
    const whole = composite('unserved', [entry('first', first), entry('second', second)]);
    await scene.make(whole);
    await scene.untilReady(whole);
    const definition: Target = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'storagecomposites.rook-deps.io' },
    };
    const versions = listAt(await scene.client.read(definition), 'spec', 'versions').filter(isRecord);
    const serve = (served: boolean): Promise<unknown> =>
      scene.client.patch(definition, { spec: { versions: versions.map((one) => ({ ...one, served })) } });
    const since = (await readFile(scene.replica.log, 'utf8')).length;
    try {
      await serve(false);
      // It has looked, and the pause before we help goes by.
      await vi.waitFor(async () => {
        const said = (await readFile(scene.replica.log, 'utf8')).slice(since);
        expect(said).toContain('storagecomposites.rook-deps.io is defined, and not served at present');
      }, WAIT);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      await isAlive(first, second);
    } finally {
      await serve(true);
    }
    await scene.untilReady(whole);
    await isAlive(first, second);
  });

  test('that is orphaned while it is composed leaves its parts, and none gets its owner back', async () => {
    const ns = await scene.namespace('orphans');
    for (let round = 0; round < 3; round++) {
      const name = `orphans-${round}`;
      const parts = Array.from({ length: 40 }, (_, at) => configMap(ns, `${name}-${at}`));
      const entries = (key: string): readonly object[] =>
        parts.map((part) => entry(part.metadata.name, data(part, { key })));
      const whole = composite(name, entries('old'));
      await scene.make(whole);
      await scene.untilReady(whole);
      await scene.client.patch(whole, { spec: { resources: entries('new') } });
      await vi.waitFor(async () => {
        expect(textAt(await scene.client.read(parts[0] as Target), 'data', 'key')).toBe('new');
      }, WAIT);
      await scene.client.delete(whole, { propagationPolicy: 'Orphan' });
      await scene.untilGone(whole);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const found = await Promise.all(parts.map((part) => scene.client.read(part)));
      expect(found.filter((part) => part === undefined || part.metadata.deletionTimestamp)).toEqual([]);
      expect(found.flatMap((part) => part?.metadata.ownerReferences ?? [])).toEqual([]);
    }
  });

  test('says in which namespace it cannot make a part, and makes the others', async () => {
    const ns = await scene.namespace('there');
    const parts = [entry('lost', configMap('nowhere', 'lost')), entry('map', configMap(ns, 'map'))];
    const whole = composite('nowhere', parts);
    await scene.make(whole);
    expect(await untilSynced(whole, 'NamespaceNotFound')).toBe(
      'ConfigMap "nowhere/lost": namespaces "nowhere" not found (make it: kubectl create namespace nowhere)',
    );
    await isAlive(configMap(ns, 'map'));
    await scene.client.delete(whole);
  });

  test('goes while the webhook does not answer, and cannot be changed then', async () => {
    const ns = await scene.namespace('unanswered');
    const part = configMap(ns, 'part');
    const whole = composite('unanswered', [entry('part', part)]);
    await scene.make(whole);
    await scene.untilReady(whole);
    await scene.client.patch(part, { metadata: HELD });
    await scene.killController();
    const changed = await scene.client.patch(whole, { spec: { claimableFrom: { namespaces: [] } } });
    expect(changed.message).toContain('failed calling webhook "storagecomposites.rook-deps.io"');
    expect((await scene.client.delete(whole, { propagationPolicy: 'Foreground' })).status).toBe(200);
    await scene.untilTerminating(part);
    await scene.client.patch(part, LET_GO);
    await scene.untilGone(part, whole);
    await scene.restartController();
  });

  test('says what the controller may not make, and how to grant it', async () => {
    const ns = await scene.namespace('ungranted');
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l', namespace: ns },
    };
    const whole = composite('ungranted', [entry('lease', lease), entry('map', configMap(ns, 'map'))]);
    await scene.make(whole);
    const message = await untilSynced(whole, 'Forbidden');
    expect(message).toContain('(grant it: kubectl rook-deps install --compose leases.coordination.k8s.io)');
    await isAlive(configMap(ns, 'map'));
    await scene.install.compose('leases.coordination.k8s.io');
    await untilSynced(whole, 'Applied');
    await isAlive(lease);
  });
});

describe('a claim', () => {
  test('C3: in the background is gone at once, and takes its composite along', async () => {
    const ns = await scene.namespace('c3');
    const part = configMap(ns, 'part');
    const [whole, mine] = [composite('c3', [entry('part', part)]), claim(ns, 'mine', 'c3')];
    await scene.make(whole, mine);
    const bound = await scene.untilReady(mine);
    expect(textAt(bound, 'spec', 'compositeDeletePolicy')).toBe('Background');
    expect(textAt(await scene.client.read(whole), 'spec', 'claimRef', 'uid')).toBe(bound.metadata.uid);
    expect(textAt(bound, 'status', 'composite', 'uid')).toBe((await scene.client.read(whole))?.metadata.uid);
    await scene.client.patch(part, { metadata: HELD });
    await scene.client.delete(mine);
    await scene.untilGone(mine, whole);
    await scene.untilTerminating(part);
    await scene.client.patch(part, LET_GO);
    await scene.untilGone(part);
  });

  test('C1, C4, C5: in the foreground deletes once, stays while that is refused, and tells', async () => {
    const ns = await scene.namespace('c1');
    const part = configMap(ns, 'part');
    const [whole, mine] = [composite('c1', [entry('part', part)]), claim(ns, 'mine', 'c1', 'Foreground')];
    await scene.make(whole, mine);
    await scene.untilReady(mine);
    const keep = usage(ns, 'keep', { of: {}, by: {} });
    const hold = { ...keep, kind: 'ClusterUsage', metadata: { name: 'c1-keep' } } as Target;
    const spec = {
      of: { apiVersion: 'rook-deps.io/v1alpha1', kind: 'StorageComposite', resourceRef: { name: 'c1' } },
      reason: 'not yet',
    };
    await scene.make({ ...hold, spec } as Target);
    await scene.untilMarked(whole);
    await scene.client.delete(mine);
    const refused = await untilSynced(mine, 'DeletionRefused');
    expect(refused).toContain('is in use by 1 usage');
    await isAlive(whole, part);
    await scene.client.patch(part, { metadata: HELD });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    // Once more for each of its own words, and for the finalizer on the part.
    expect((await deletionAnswers(scene, 'c1')).length).toBeLessThanOrEqual(5);
    await scene.client.delete(hold);
    await scene.untilTerminating(whole);
    await scene.untilReason(mine, 'Deleting');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await acceptedDeletions(scene, 'c1')).toBe(1);
    expect(await scene.client.read(mine)).toBeDefined();
    await scene.client.patch(part, LET_GO);
    await scene.untilGone(part, whole, mine);
  });

  test('in the foreground stays for all parts of a composite that somebody deleted in the background', async () => {
    const ns = await scene.namespace('before-it');
    const part = configMap(ns, 'part');
    const [whole, mine] = [
      composite('before-it', [entry('part', part)]),
      claim(ns, 'mine', 'before-it', 'Foreground'),
    ];
    await scene.make(whole, mine);
    const bound = await scene.untilReady(mine);
    const { uid = '' } = (await scene.client.read(part))?.metadata ?? {};
    expect(listAt(bound, 'status', 'composite', 'resources')).toMatchObject([{ name: 'part', uid }]);
    await scene.client.patch(part, { metadata: HELD });
    await scene.client.delete(whole, { propagationPolicy: 'Background' });
    await scene.untilGone(whole);
    await scene.untilReason(mine, 'CompositeLost');
    await scene.client.delete(mine);
    const waiting = await scene.untilReason(mine, 'Deleting');
    expect(listAt(waiting, 'status', 'waitingFor')).toMatchObject([{ name: 'part', uid }]);
    await scene.untilTerminating(part);
    expect(await scene.client.read(mine)).toBeDefined();
    await scene.client.patch(part, LET_GO);
    await scene.untilGone(part, mine);
  });

  test('C6: goes without a composite that has become bound to another', async () => {
    const ns = await scene.namespace('c6');
    const part = configMap(ns, 'part');
    const [whole, mine] = [composite('c6', [entry('part', part)]), claim(ns, 'mine', 'c6', 'Foreground')];
    await scene.make(whole, mine);
    await scene.untilReady(mine);
    await scene.client.patch(whole, { spec: { claimRef: { name: 'other', uid: 'another' } } });
    expect(await untilSynced(mine, 'CompositeClaimed')).toContain('is bound to StorageClaim "c6/other"');
    await scene.client.delete(mine);
    await scene.untilGone(mine);
    await isAlive(whole, part);
  });

  test('brings the Secret that its composite names, keeps it right, and takes it along', async () => {
    const ns = await scene.namespace('connected');
    const secret = (namespace: string, name: string, password: string): Target =>
      ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace },
        data: { password: Buffer.from(password).toString('base64') },
      }) as Target;
    await scene.make(secret('default', 'connected', 'first'));
    const connectionSecretRef = { namespace: 'default', name: 'connected' };
    const whole = composite('connected', [entry('part', configMap('default', 'connected'))], {
      connectionSecretRef,
    });
    const mine = claim(ns, 'mine', 'connected');
    await scene.make(whole, mine);
    const bound = await scene.untilReady(mine);
    const copy = secret(ns, textAt(bound, 'status', 'connection', 'secretName') ?? '', '');
    const passwordIs = (wanted: string): Promise<void> =>
      vi.waitFor(async () => {
        const found = textAt(await scene.client.read(copy), 'data', 'password') ?? '';
        expect(Buffer.from(found, 'base64').toString()).toBe(wanted);
      }, WAIT);
    await passwordIs('first');
    await scene.client.patch(secret('default', 'connected', ''), secret('default', 'connected', 'second'));
    await passwordIs('second');
    await scene.client.patch(whole, { spec: { connectionSecretRef: null } });
    await scene.untilGone(copy);
    await scene.client.patch(whole, { spec: { connectionSecretRef } });
    await passwordIs('second');
    await scene.client.delete(mine);
    await scene.untilGone(mine, copy);
    await isAlive(secret('default', 'connected', ''));
  });
});

describe('bad input', () => {
  const inNamespace = configMap('default', 'bad');
  const withMeta = (metadata: object): object => ({
    ...inNamespace,
    metadata: { ...inNamespace.metadata, ...metadata },
  });
  test.for([
    {
      name: 'a kind that does not exist',
      template: { apiVersion: 'example.org/v1', kind: 'Nothing', metadata: { name: 'x' } },
      says: `the server doesn't have a kind "Nothing" in "example.org/v1"`,
    },
    {
      name: 'a template that sets its own ownerReferences',
      template: withMeta({ ownerReferences: [] }),
      says: 'spec.resources[0].template.metadata.ownerReferences',
    },
    {
      name: 'a template with finalizers',
      template: withMeta({ finalizers: ['a/b'] }),
      says: 'metadata.finalizers',
    },
    {
      name: 'no namespace for a namespaced kind',
      template: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } },
      says: 'ConfigMap is namespaced: say in which namespace it is to be',
    },
    {
      name: 'rights',
      template: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'x' } },
      says: 'ClusterRole cannot be composed: it would carry the rights of the controller',
    },
    {
      name: 'itself',
      template: {
        apiVersion: 'rook-deps.io/v1alpha1',
        kind: 'StorageComposite',
        metadata: { name: 'bad' },
        spec: {},
      },
      says: 'a composite cannot be composed of itself',
    },
    {
      name: 'a usage of a kind that does not exist',
      template: usage('default', 'bad', {
        of: { apiVersion: 'v1', kind: 'Nothing', resourceRef: { name: 'x' } },
        reason: 'r',
      }),
      says: 'spec.resources[0].template.spec.of.kind',
    },
  ])('$name is refused', async ({ template, says }) => {
    const { status, message, body } = await scene.client.create(composite('bad', [entry('x', template)]));
    expect(status).toBe(422);
    expect(message + JSON.stringify(body)).toContain(JSON.stringify(says).slice(1, -1));
    expect(await scene.client.read(composite('bad', []))).toBeUndefined();
  });

  test('Orphan is not a policy', async () => {
    const { status, message } = await scene.client.create(
      claim('default', 'x', 'x', 'Orphan' as 'Background'),
    );
    expect(status).toBe(422);
    expect(message).toContain('supported values: "Background", "Foreground"');
  });

  test('two claims for one composite: the second is refused, or waits with a reason; the first keeps it', async () => {
    const ns = await scene.namespace('twins');
    const [first, second, third] = ['first', 'second', 'third'].map((name) => claim(ns, name, 'twins')) as [
      Target,
      Target,
      Target,
    ];
    await scene.make(first, second);
    await scene.untilReason(first, 'CompositeNotFound');
    await scene.make(composite('twins', [entry('part', configMap(ns, 'part'))]));
    const claims = [first, second];
    const reasons = await vi.waitFor(async () => {
      const found = await Promise.all(
        claims.map(
          async (target) => textAt(condition(await scene.client.read(target), 'Ready'), 'reason') ?? '',
        ),
      );
      expect(found.toSorted()).toEqual(['Available', 'CompositeClaimed']);
      return found;
    }, WAIT);
    const { status, message } = await scene.client.create(third);
    expect(status).toBe(409);
    expect(message).toContain('StorageComposite "twins" is bound to StorageClaim "twins/');
    const loser = claims[reasons.indexOf('CompositeClaimed')] as Target;
    await scene.client.delete(loser);
    await scene.untilGone(loser);
    await isAlive(composite('twins', []), configMap(ns, 'part'));
  });

  test('a namespace that may not claim is told so, in admission and in conditions', async () => {
    const ns = await scene.namespace('outside');
    const early = claim(ns, 'early', 'inside');
    await scene.make(early);
    await scene.untilReason(early, 'CompositeNotFound');
    const claimableFrom = { namespaces: ['inside'] };
    await scene.make(composite('inside', [entry('part', configMap('default', 'inside'))], { claimableFrom }));
    await scene.untilReason(early, 'NotClaimable');
    const { status, message } = await scene.client.create(claim(ns, 'late', 'inside'));
    expect(status).toBe(403);
    expect(message).toContain('StorageComposite "inside" may not be claimed from namespace "outside"');
    await scene.client.delete(early);
    await scene.untilGone(early);
    await isAlive(composite('inside', []), configMap('default', 'inside'));
  });

  test('nobody borrows the rights of the controller', async () => {
    const ns = await scene.namespace('borrowed');
    const rule = (group: string, resource: string): object => ({
      apiGroups: [group],
      resources: [resource],
      verbs: ['*'],
    });
    const [subject] = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'lender' }];
    const api = 'rbac.authorization.k8s.io';
    await scene.install.apply([
      {
        apiVersion: `${api}/v1`,
        kind: 'ClusterRole',
        metadata: { name: 'lender' },
        rules: [rule('rook-deps.io', 'storagecomposites'), rule('rook-deps.io', 'criticalservices')],
      },
      {
        apiVersion: `${api}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'lender' },
        roleRef: { apiGroup: api, kind: 'ClusterRole', name: 'lender' },
        subjects: [subject],
      },
      {
        apiVersion: `${api}/v1`,
        kind: 'Role',
        metadata: { name: 'lender', namespace: ns },
        rules: [rule('', 'configmaps')],
      },
      {
        apiVersion: `${api}/v1`,
        kind: 'RoleBinding',
        metadata: { name: 'lender', namespace: ns },
        roleRef: { apiGroup: api, kind: 'Role', name: 'lender' },
        subjects: [subject],
      },
    ]);
    const as = 'lender';
    const own = composite('borrowed', [entry('own', configMap(ns, 'own'))]);
    await vi.waitFor(async () => expect((await scene.client.create(own, { as })).status).toBe(201), WAIT);
    await scene.untilReady(own);
    const theirs = entry('theirs', configMap('default', 'theirs'));
    const more = await scene.client.patch(
      own,
      { spec: { resources: [entry('own', configMap(ns, 'own')), theirs] } },
      { as },
    );
    expect(more.status).toBe(403);
    expect(more.message).toContain('user "lender" cannot create ConfigMap "default/theirs"');
    const secret = { connectionSecretRef: { namespace: 'kube-system', name: 'token' } };
    const leak = await scene.client.patch(own, { spec: secret }, { as });
    expect(leak.status).toBe(403);
    expect(leak.message).toContain('cannot get Secret "kube-system/token"');
    const of = { apiVersion: 'v1', kind: 'ConfigMap', resourceRef: { name: 'kube-root-ca.crt' } };
    const squat = composite('squat', [entry('u', usage('default', 'squat', { of, reason: 'mine' }))]);
    expect((await scene.client.create(squat, { as })).status).toBe(403);
    const critical = criticalService('squat', {
      provider: providerOf(deployment('default', 'theirs')),
      criteria: [noFinalizer('gadgets', 'a/b')],
    });
    const keep = await scene.client.create(composite('squat', [entry('c', critical)]), { as });
    expect(keep.status).toBe(403);
    expect(keep.message).toContain('to keep an object one must be allowed to delete it, and user "lender"');
    await isAlive(own);
    expect(await scene.client.read(configMap('default', 'theirs'))).toBeUndefined();
  });
});
