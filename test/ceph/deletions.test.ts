import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Kinds, listAt, textAt, type KubeObject } from '#pkg/object';
import { served } from '#test/fixtures/served-objects.ts';
import { signedHeaders } from '../../pkg/ceph/signature.ts';
import { startCeph, type CephCluster } from '../../scripts/ceph/index.ts';
import { deletePastTheWebhook } from '../controller/past-the-webhook.ts';
import { RookObjects, type Named } from '../controller/rook-objects.ts';
import { Scene } from '../controller/scene.ts';
import { describeOnCeph } from './ceph.ts';

const NS = 'rook-ceph';
const WAIT = { timeout: 60_000, interval: 500 };
const POOL: Named = { kind: 'CephBlockPool', namespace: NS, name: 'pool-zone' };
const TEAM: Named = { kind: 'CephBlockPoolRadosNamespace', namespace: NS, name: 'team' };
const GROUP: Named = { kind: 'CephFilesystemSubVolumeGroup', namespace: NS, name: 'csi' };
const FILESYSTEM: Named = { kind: 'CephFilesystem', namespace: NS, name: 'myfs' };
const STORE: Named = { kind: 'CephObjectStore', namespace: NS, name: 'default' };

describeOnCeph('deletions, with what a real Ceph holds', () => {
  let ceph: CephCluster;
  let scene: Scene;
  let rook: RookObjects;

  beforeAll(async () => {
    ceph = await startCeph({ rgw: true, filesystem: 'myfs' });
    scene = await Scene.open(['--ceph-conf', ceph.conf]);
    rook = new RookObjects(scene);
    await scene.namespace(NS);
    await rook.apply([served(Kinds.CephCluster, 'rook-ceph', NS)]);
    await rbd('pool', 'init', 'pool-zone');
  });

  afterAll(async () => {
    await scene?.close();
    await ceph?.stop();
  });

  const rbd = (...args: readonly string[]): Promise<string> => ceph.output('rbd', args);
  const fs = (...args: readonly string[]): Promise<string> => ceph.output('ceph', ['fs', ...args]);
  const makePool = (): Promise<void> => rook.apply([served(Kinds.CephBlockPool, 'pool-zone', NS)]);

  /** Refused, with these blockers as the message names them, and no others. */
  async function refusedFor(named: Named, ...blockers: readonly string[]): Promise<void> {
    const { status, message } = await rook.delete(named);
    expect(message.match(/^- .*$/gm)).toEqual(blockers.map((blocker) => `- ${blocker}`));
    expect(status).toBe(409);
  }

  async function untilDeleted(named: Named): Promise<void> {
    await vi.waitFor(async () => expect((await rook.delete(named)).status).toBe(200), WAIT);
    await vi.waitFor(async () => expect(await rook.read(named)).toBeUndefined(), WAIT);
  }

  test('E27, W8: a pool stays for its images, snapshots and trash, and goes without them', async () => {
    await makePool();
    await rbd('create', 'pool-zone/img', '--size', '4M');
    await rbd('snap', 'create', 'pool-zone/img@monday');
    await rbd('create', 'pool-zone/old', '--size', '4M');
    await rbd('trash', 'mv', 'pool-zone/old');
    await refusedFor(POOL, 'RBDImage img (RD050)', 'RBDSnapshot img@monday (RD051)', 'RBDTrash old (RD052)');
    await rbd('snap', 'purge', 'pool-zone/img');
    await rbd('rm', 'pool-zone/img');
    await refusedFor(POOL, 'RBDTrash old (RD052)');
    await rbd('trash', 'purge', 'pool-zone');
    await untilDeleted(POOL);
  });

  test('14.3: a rados namespace stays for its images, and so does a pool for those that no resource stands for', async () => {
    await makePool();
    await rbd('namespace', 'create', 'pool-zone/team');
    await rbd('create', 'pool-zone/team/img', '--size', '4M');
    await refusedFor(POOL, 'RBDImage team/img (RD050)');
    await rook.apply([served(Kinds.CephBlockPoolRadosNamespace, 'team', NS, { blockPoolName: 'pool-zone' })]);
    await refusedFor(TEAM, 'RBDImage team/img (RD050)');
    await rbd('rm', 'pool-zone/team/img');
    await untilDeleted(TEAM);
    await untilDeleted(POOL);
  });

  test('14.4, W9: a subvolume group and its filesystem stay for a subvolume', async () => {
    await fs('subvolumegroup', 'create', 'myfs', 'csi');
    await fs('subvolume', 'create', 'myfs', 'vol', 'csi');
    await rook.apply([
      served(Kinds.CephFilesystem, 'myfs', NS),
      served(Kinds.CephFilesystemSubVolumeGroup, 'csi', NS, { filesystemName: 'myfs' }),
    ]);
    await refusedFor(GROUP, 'Subvolume csi/vol (RD053)');
    await fs('subvolume', 'rm', 'myfs', 'vol', 'csi');
    await untilDeleted(GROUP);
    await fs('subvolume', 'create', 'myfs', 'vol', 'csi');
    await refusedFor(FILESYSTEM, 'Subvolume csi/vol (RD053)');
    await fs('subvolume', 'rm', 'myfs', 'vol', 'csi');
    // Ceph removes the files of subvolumes later, and until then they hold it.
    await untilDeleted(FILESYSTEM);
  });

  test('14.5: an object store stays for its buckets, and it is told who claimed one', async () => {
    const { gateway } = ceph;
    if (!gateway) throw new Error('there is no gateway');
    const advertiseEndpoint = { dnsName: '127.0.0.1', port: gateway.port, useTls: false };
    await rook.apply([served(Kinds.CephObjectStore, 'default', NS, { hosting: { advertiseEndpoint } })]);
    const key = ['--access-key=tenantkey', '--secret-key=tenantsecret'];
    await ceph.output('radosgw-admin', ['user', 'create', '--uid=t', '--display-name=t', ...key]);
    const bucket = new URL('/photos', gateway.endpoint);
    const tenant = { accessKey: 'tenantkey', secretKey: 'tenantsecret' };
    const headers = signedHeaders('PUT', bucket, tenant, Date.now());
    expect((await fetch(bucket, { method: 'PUT', headers })).status).toBe(200);
    await refusedFor(STORE, 'Bucket photos (RD054)');

    const owned = served(Kinds.ObjectBucket, 'obc-shop-photos', undefined, {
      endpoint: { bucketHost: 'rook-ceph-rgw-default.rook-ceph.svc', bucketName: 'photos' },
      additionalState: { objectStoreName: 'default', objectStoreNamespace: NS },
      claimRef: { namespace: 'shop', name: 'photos' },
      storageClassName: 'bucket',
    });
    await rook.apply([owned]);
    await vi.waitFor(() => refusedFor(STORE, 'ObjectBucket obc-shop-photos (RD025)'), WAIT);
    const why = ['why', 'cephobjectstore/default', '-n', NS, '--ceph-conf', ceph.conf, '-o', 'json'];
    const told = JSON.parse((await scene.install.plugin(why)).stdout) as KubeObject;
    expect(listAt(told, 'causes')).toContainEqual(
      expect.objectContaining({
        code: 'RD054',
        owner: expect.objectContaining({ kind: 'ObjectBucketClaim', name: 'photos' }) as unknown,
      }),
    );
    await rook.remove({ kind: 'ObjectBucket', name: 'obc-shop-photos' });
    await ceph.output('radosgw-admin', ['bucket', 'rm', '--bucket=photos', '--purge-objects']);
    await untilDeleted(STORE);
  });

  test('a deletion that got past is held while Ceph holds an image, and released without it', async () => {
    await makePool();
    await rook.untilHeld(POOL);
    await rbd('create', 'pool-zone/late', '--size', '4M');
    await deletePastTheWebhook(scene, () => rook.delete(POOL));
    await vi.waitFor(async () => {
      const conditions = listAt(await rook.read(POOL), 'status', 'conditions');
      const blocked = conditions.find((one) => textAt(one, 'type') === 'DeletionIsBlocked');
      expect(textAt(blocked, 'message')).toMatch(/has dependents: RBDImages: \[late\]$/);
    }, WAIT);
    await rbd('rm', 'pool-zone/late');
    await vi.waitFor(async () => expect(await rook.read(POOL)).toBeUndefined(), WAIT);
  });

  test('a namespace stays for what Ceph holds in one of its resources', async () => {
    await makePool();
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } };
    await scene.untilMarked(namespace);
    await rbd('create', 'pool-zone/img', '--size', '4M');
    const { status, message } = await scene.client.delete(namespace, { query: 'dryRun=All' });
    expect(message).toContain(`- RBDImage img (RD050), which needs CephBlockPool ${NS}/pool-zone`);
    expect(status).toBe(409);
    await rbd('rm', 'pool-zone/img');
    expect((await scene.client.delete(namespace, { query: 'dryRun=All' })).status).toBe(200);
  });

  test('without an answer of Ceph nothing goes; --ceph=prefer and --ceph=off do without', async () => {
    await makePool();
    await ceph.stop();
    const conf = join(scene.install.plane.folder, 'nobody.conf');
    writeFileSync(conf, '[global]\nmon host = [v2:127.0.0.1:1]\nauth client required = none\n');
    const startWith = async (mode: string): Promise<void> => {
      await scene.killController();
      await scene.startController([`--ceph=${mode}`, '--ceph-conf', conf]);
    };
    await startWith('require');
    const { status, message } = await rook.delete(POOL);
    expect(message).toContain('Ceph had no answer within 14 s');
    expect(message).toContain('- RBD images, snapshots and objects in pool pool-zone (');
    expect(message).toContain('kubectl rook-deps install --ceph=prefer');
    expect(message).toContain('rook-deps.io/force-delete');
    expect(status).toBe(503);
    for (const mode of ['prefer', 'off']) {
      await startWith(mode);
      expect((await rook.delete(POOL, 'dryRun=All')).status).toBe(200);
    }
  });
});
