import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  adminOps,
  askedCeph,
  cephClient,
  CephSilent,
  forecastStop,
  isClean,
  localRunner,
  settledGroups,
  verifiedRunner,
  type CephContents,
  type CephRunner,
  type Contents,
} from '#pkg/ceph';
import { systemClock } from '#pkg/clock';
import { signedHeaders } from '../../pkg/ceph/signature.ts';
import type { KubeObject } from '#pkg/object';
import { fakeReader } from '#test/fakes/reader.ts';
import { run } from '#test/fakes/program.ts';
import {
  aCluster,
  aFilesystem,
  aPool,
  aRadosNamespace,
  aStore,
  aSubVolumeGroup,
} from '#test/fixtures/objects.ts';
import { startCeph, type CephCluster } from '../../scripts/ceph/index.ts';
import { describeOnCeph } from './ceph.ts';

const { signal } = new AbortController();

describeOnCeph('a real Ceph', () => {
  let cluster: CephCluster;
  let folder: string;

  beforeAll(async () => {
    cluster = await startCeph({ rgw: true, filesystem: 'myfs' });
    folder = mkdtempSync(join(tmpdir(), 'rook-deps-answers-'));
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const local = (): CephRunner => localRunner({ conf: cluster.conf, env: process.env });
  const rbd = (...args: readonly string[]): Promise<string> => cluster.output('rbd', args);
  const ceph = (...args: readonly string[]): Promise<string> => cluster.output('ceph', args);

  function contents(): CephContents {
    return askedCeph({
      reader: fakeReader([aCluster()]),
      cephOf: () => cluster.ceph,
      adminOps: adminOps(Date.now),
      isInCluster: true,
    });
  }

  function held(resource: KubeObject): Promise<Contents> {
    return contents().contentsOf(resource, signal);
  }

  /** `why` on saved manifests, with this Ceph. */
  function why(resource: KubeObject, ...flags: readonly string[]): ReturnType<typeof run> {
    const file = join(folder, 'objects.json');
    const items = [aCluster('rook-ceph', { status: { ceph: { fsid: cluster.fsid } } }), resource];
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const name = `${resource.kind}/${resource.metadata.name}`;
    const env = { PATH: process.env['PATH'] };
    return run(['why', name, '--from', file, '--ceph-conf', cluster.conf, '-o', 'json', ...flags], { env });
  }

  describe('a pool', () => {
    test('holds images, snapshots and trash, in all its namespaces, and is free without them', async () => {
      expect(await held(aPool('pool-zone'))).toEqual({ items: [], gaps: [] });
      await rbd('pool', 'init', 'pool-zone');
      expect(await held(aPool('pool-zone'))).toEqual({ items: [], gaps: [] });

      await rbd('create', 'pool-zone/img', '--size', '4M');
      await rbd('snap', 'create', 'pool-zone/img@monday');
      await rbd('namespace', 'create', 'pool-zone/team');
      await rbd('create', 'pool-zone/team/img', '--size', '4M');
      await rbd('create', 'pool-zone/old', '--size', '4M');
      await rbd('trash', 'mv', 'pool-zone/old');
      const { items, gaps } = await held(aPool('pool-zone'));
      expect(gaps).toEqual([]);
      expect(items.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
        'RBDImage img',
        'RBDSnapshot img@monday',
        'RBDTrash old',
        'RBDImage team/img',
      ]);
      expect((await held(aRadosNamespace('team', 'pool-zone'))).items).toEqual([
        { kind: 'RBDImage', name: 'team/img' },
      ]);

      await rbd('snap', 'purge', 'pool-zone/img');
      await rbd('rm', 'pool-zone/img');
      await rbd('rm', 'pool-zone/team/img');
      expect((await held(aPool('pool-zone'))).items.map(({ kind }) => kind)).toEqual(['RBDTrash']);
      await rbd('trash', 'purge', 'pool-zone');
      expect(await held(aPool('pool-zone'))).toEqual({ items: [], gaps: [] });
      expect(await held(aRadosNamespace('team', 'pool-zone'))).toEqual({ items: [], gaps: [] });
    });

    test('holds objects that no image accounts for', async () => {
      const file = join(folder, 'note');
      writeFileSync(file, 'hello');
      await cluster.output('rados', ['--pool', 'pool-zone', '--namespace', 'app', 'put', 'note', file]);
      expect((await held(aPool('pool-zone'))).items).toEqual([
        { kind: 'RADOSObjects', name: 'pool-zone', detail: '1 object' },
      ]);
      await cluster.output('rados', ['--pool', 'pool-zone', '--namespace', 'app', 'rm', 'note']);
      expect((await held(aPool('pool-zone'))).items).toEqual([]);
    });

    test('is answered for by "why" with a code for each', async () => {
      await rbd('create', 'pool-zone/img', '--size', '4M');
      const blocked = JSON.parse((await why(aPool('pool-zone'))).out) as {
        verdict: string;
        causes: object[];
      };
      expect(blocked).toMatchObject({
        verdict: 'Blocked',
        causes: [{ code: 'RD050', object: { apiVersion: 'ceph', kind: 'RBDImage', name: 'img' } }],
      });
      await rbd('rm', 'pool-zone/img');
      expect(JSON.parse((await why(aPool('pool-zone'))).out)).toMatchObject({
        verdict: 'Deletable',
        gaps: [],
      });
    });
  });

  test('a filesystem holds subvolumes, in groups and outside, and is free without them', async () => {
    expect(await held(aFilesystem('myfs'))).toEqual({ items: [], gaps: [] });
    await ceph('fs', 'subvolumegroup', 'create', 'myfs', 'csi');
    expect(await held(aFilesystem('myfs'))).toEqual({ items: [], gaps: [] });
    await ceph('fs', 'subvolume', 'create', 'myfs', 'vol', 'csi');
    await ceph('fs', 'subvolume', 'create', 'myfs', 'loose');
    expect((await held(aFilesystem('myfs'))).items).toEqual([
      { kind: 'Subvolume', name: 'loose' },
      { kind: 'Subvolume', name: 'csi/vol' },
    ]);
    expect((await held(aSubVolumeGroup('csi', 'myfs'))).items).toEqual([
      { kind: 'Subvolume', name: 'csi/vol' },
    ]);
    await ceph('fs', 'subvolume', 'rm', 'myfs', 'vol', 'csi');
    await ceph('fs', 'subvolume', 'rm', 'myfs', 'loose');
    expect((await held(aSubVolumeGroup('csi', 'myfs'))).items).toEqual([]);
    // Ceph removes the files of subvolumes later.
    await expect.poll(() => held(aFilesystem('myfs')), { timeout: 60_000 }).toEqual({ items: [], gaps: [] });
  });

  test('the only metadata server of a filesystem is not ok to stop, and one that serves nobody is', async () => {
    expect((await cluster.ceph.status(signal)).ranks).toEqual([{ name: 'a', rank: 0, state: 'up:active' }]);
    expect(await cluster.ceph.okToStopServers(['a'], signal)).toEqual({
      isOk: false,
      words: expect.stringMatching(/^insuffic\w+ standby MDS daemons to stop active gids/),
    });
    expect((await cluster.ceph.okToStopServers(['nobody'], signal)).isOk).toBe(true);
  });

  describe('an object store', () => {
    const store = (dnsName: string, port: number): KubeObject =>
      aStore('default', { spec: { hosting: { advertiseEndpoint: { dnsName, port, useTls: false } } } });

    test('holds the buckets that its gateway lists for a signed question', async () => {
      const { gateway } = cluster;
      if (!gateway) throw new Error('there is no gateway');
      expect((await held(store('127.0.0.1', gateway.port))).items).toEqual([]);
      const key = [`--access-key=tenantkey`, `--secret-key=tenantsecret`];
      await cluster.output('radosgw-admin', ['user', 'create', '--uid=t', '--display-name=t', ...key]);
      const bucket = new URL('/photos', gateway.endpoint);
      const tenant = { accessKey: 'tenantkey', secretKey: 'tenantsecret' };
      const headers = signedHeaders('PUT', bucket, tenant, Date.now());
      expect((await fetch(bucket, { method: 'PUT', headers })).status).toBe(200);
      const listed = await adminOps(Date.now).buckets(gateway.endpoint, gateway, signal);
      expect(listed).toEqual(['photos']);
      expect((await held(store('127.0.0.1', gateway.port))).items).toEqual([
        { kind: 'Bucket', name: 'photos' },
      ]);
    });

    test('is refused with a wrong signature, which is no empty list', async () => {
      const endpoint = cluster.gateway?.endpoint ?? '';
      const key = { accessKey: cluster.gateway?.accessKey ?? '', secretKey: 'wrong' };
      await expect(adminOps(Date.now).buckets(endpoint, key, signal)).rejects.toThrow(
        '403 SignatureDoesNotMatch',
      );
    });

    test('whose gateway nobody reaches is read from Ceph', async () => {
      expect(await held(store('127.0.0.1', 1))).toEqual({
        items: [{ kind: 'Bucket', name: 'photos' }],
        gaps: [],
      });
    });
  });

  describe('placement groups', () => {
    test('of one zone may go, of two may not', async () => {
      const { groups, osdMap } = await settledGroups(cluster.ceph, systemClock, signal);
      expect(isClean(groups)).toBe(true);
      for (const [osds, isSafe] of [
        [[0, 1], true],
        [[0, 1, 2, 3], false],
      ] as const) {
        expect(forecastStop(osds, groups, osdMap.pools).isSafe).toBe(isSafe);
      }
      expect((await cluster.ceph.okToStop([0, 1], signal)).isOk).toBe(true);
    });

    test('are not taken for clean right after an OSD has gone, and are clean after it is back', async () => {
      await cluster.stopOsd(0);
      await expect
        .poll(async () => (await cluster.ceph.osdMap(signal)).osds[0]?.isUp, { timeout: 30_000 })
        .toBe(false);
      const settled = await settledGroups(cluster.ceph, systemClock, signal);
      expect(isClean(settled.groups)).toBe(false);
      expect(settled.osdMap.osds.filter(({ isUp }) => !isUp).map(({ id }) => id)).toEqual([0]);
      const { groups, osdMap } = settled;
      expect(forecastStop([2], groups, osdMap.pools).isSafe).toBe(false);
      cluster.startOsd(0);
      await cluster.untilClean();
    });

    test('of a zone get noout and lose it, and no other zone does', async () => {
      const flags = async (): Promise<unknown> =>
        Object.fromEntries((await cluster.ceph.osdMap(signal)).bucketFlags);
      await cluster.ceph.setNoout('zone-x', signal);
      expect(await flags()).toEqual({ 'zone-x': ['noout'] });
      await cluster.ceph.unsetNoout('zone-x', signal);
      expect(await flags()).toEqual({});
      await expect(cluster.ceph.setNoout('nowhere', signal)).rejects.toMatchObject({ code: 22 });
    });

    test('are unknown without a manager, however clean they were', async () => {
      await cluster.killManager();
      await cluster.stopOsd(0);
      const hasty = cephClient(local(), 3000);
      await expect(settledGroups(hasty, systemClock, signal)).rejects.toThrow(CephSilent);
      cluster.startManager();
      cluster.startOsd(0);
      await cluster.untilClean();
    });
  });

  test('is not asked in the name of another cluster', async () => {
    const other = verifiedRunner(local(), '00000000-0000-0000-0000-000000000000');
    await expect(cephClient(other).osdMap(signal)).rejects.toThrow(
      `this is the Ceph cluster ${cluster.fsid}`,
    );
  });
});

describeOnCeph('a Ceph that nobody reaches', () => {
  test('leaves a gap, in time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rook-deps-gone-'));
    const conf = join(folder, 'ceph.conf');
    writeFileSync(conf, '[global]\nmon host = [v2:127.0.0.1:1]\nauth client required = none\n');
    const hasty = cephClient(localRunner({ conf, env: process.env }), 2000);
    const ceph = askedCeph({
      reader: fakeReader([aCluster()]),
      cephOf: () => hasty,
      adminOps: adminOps(Date.now),
      isInCluster: false,
    });
    const { items, gaps } = await ceph.contentsOf(aPool('pool-zone'), signal);
    rmSync(folder, { recursive: true, force: true });
    expect(items).toEqual([]);
    expect(gaps.map(({ what }) => what)).toEqual(['RBD images, snapshots and objects in pool pool-zone']);
  });
});
