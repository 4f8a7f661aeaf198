import { describe, expect, test } from 'vitest';
import { cephSample, RELEASES } from '#test/fixtures/ceph.ts';
import { fakeRunner, type Reply } from '#test/fakes/ceph-runner.ts';
import { cephClient } from './client.ts';
import { CephRefused, CephSilent, CephUnreadable } from './runner.ts';

const { signal } = new AbortController();
const ask = (replies: Readonly<Record<string, Reply>>): ReturnType<typeof cephClient> =>
  cephClient(fakeRunner(replies));

describe.for(RELEASES)('an answer of Ceph %s', (release) => {
  const sample = (name: string): Reply => ({ json: cephSample(release, name) });

  test('tells health, OSDs and manager', async () => {
    // Debian's 18.2 is never well: modules of its manager do not load.
    const checks = release === '18.2' ? ['MGR_MODULE_DEPENDENCY'] : [];
    expect(await ask({ 'ceph status': sample('status') }).status(signal)).toMatchObject({
      health: checks.length > 0 ? 'HEALTH_WARN' : 'HEALTH_OK',
      checks,
      osds: { total: 6, up: 6, in: 6 },
      hasManager: true,
    });
  });

  test('tells who is up, the pools, and no flag of a bucket', async () => {
    const map = await ask({ 'ceph osd dump': sample('osd-dump') }).osdMap(signal);
    expect(map.osds.map(({ id, isUp, isIn }) => [id, isUp, isIn])).toEqual(
      [0, 1, 2, 3, 4, 5].map((id) => [id, true, true]),
    );
    expect(map.pools[0]).toEqual({
      id: 1,
      name: 'pool-zone',
      size: 3,
      minSize: 2,
      crushRule: 1,
      isErasureCoded: false,
    });
    expect([...map.bucketFlags]).toEqual([]);
    expect(map.flags).not.toContain('noout');
  });

  test('tells noout of a zone, of an OSD and of the cluster apart', async () => {
    const map = (name: string): Promise<Awaited<ReturnType<ReturnType<typeof cephClient>['osdMap']>>> =>
      ask({ 'ceph osd dump': sample(name) }).osdMap(signal);
    expect([...(await map('osd-dump-noout-zone')).bucketFlags]).toEqual([['zone-a', ['noout']]]);
    expect((await map('osd-dump-noout-osd')).osds[0]?.state).toContain('noout');
    expect((await map('osd-dump-noout-global')).flags).toContain('noout');
  });

  test('tells rules and hierarchy', async () => {
    const ceph = ask({
      'ceph osd crush rule dump': sample('osd-crush-rule-dump'),
      'ceph osd tree': sample('osd-tree'),
    });
    const rule = (await ceph.crushRules(signal)).find(({ name }) => name === 'by-zone');
    expect(rule?.steps).toEqual([
      { op: 'take', count: 0 },
      { op: 'chooseleaf_firstn', type: 'zone', count: 0 },
      { op: 'emit', count: 0 },
    ]);
    const zone = (await ceph.crushTree(signal)).nodes.find(({ name }) => name === 'zone-a');
    expect(zone).toMatchObject({ type: 'zone', level: 9 });
    expect(zone?.children).toHaveLength(1);
  });

  test('tells placement groups, reports, nodes and the quorum', async () => {
    const both = {
      ...(cephSample(release, 'pg-dump-osds') as object),
      ...(cephSample(release, 'pg-dump-pgs-brief') as object),
    };
    const ceph = ask({
      'ceph pg dump pgs_brief osds': { json: both },
      'ceph osd metadata': sample('osd-metadata'),
      'ceph quorum_status': sample('quorum_status'),
    });
    const { groups, reports } = await ceph.pgMap(signal);
    expect(groups.length).toBeGreaterThan(0);
    for (const { state, acting } of groups) {
      expect(state).toBe('active+clean');
      expect(acting).toHaveLength(3);
    }
    expect(new Set(reports.keys())).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect((await ceph.osdNodes(signal)).get(0)).toBe('vm');
    expect(await ceph.quorum(signal)).toEqual({ monitors: ['a'], inQuorum: ['a'] });
  });

  test('tells what Ceph thinks of stopping an OSD', async () => {
    const opinion = await ask({ 'ceph osd ok-to-stop 0': sample('ok-to-stop-one') }).okToStop([0], signal);
    expect(opinion).toEqual({ isOk: true, osds: [0], notOk: 0 });
  });
});

test('a refusal of ok-to-stop is an answer, although the program fails', async () => {
  const json = JSON.stringify(cephSample('16.2', 'ok-to-stop-while-degraded'));
  const ceph = ask({ 'ceph osd ok-to-stop 2': { code: 16, stdout: json, stderr: 'Error EBUSY: unsafe' } });
  expect(await ceph.okToStop([2], signal)).toEqual({ isOk: false, osds: [2], notOk: 5 });
});

test.for([
  { name: 'yes', code: 0, stderr: 'should be safe to stop [a]\n', words: 'should be safe to stop [a]' },
  {
    name: 'no',
    code: 16,
    stderr: 'Error EBUSY: insufficent standby MDS daemons to stop active gids 4127 and/or standby gids \n',
    words: 'insufficent standby MDS daemons to stop active gids 4127 and/or standby gids',
  },
])('of metadata servers Ceph says $name by its exit code and a sentence', async ({ code, stderr, words }) => {
  const ceph = ask({ 'ceph mds ok-to-stop a b': { code, stdout: '', stderr } });
  expect(await ceph.okToStopServers(['a', 'b'], signal)).toEqual({ isOk: code === 0, words });
});

test('any other failure is no opinion on metadata servers', async () => {
  const ceph = ask({
    'ceph mds ok-to-stop': { code: 13, stdout: '', stderr: 'Error EACCES: access denied' },
  });
  await expect(ceph.okToStopServers(['a'], signal)).rejects.toThrow(CephRefused);
});

test('ranks of filesystems are read from the status, and without any there are none', async () => {
  const status = cephSample('16.2', 'status') as { fsmap: object };
  const by_rank = [{ filesystem_id: 1, rank: 0, name: 'myfs-a', status: 'up:active', gid: 4127 }];
  const json = { ...status, fsmap: { ...status.fsmap, by_rank, 'up:standby': 1 } };
  expect((await ask({ 'ceph status': { json } }).status(signal)).ranks).toEqual([
    { name: 'myfs-a', rank: 0, state: 'up:active' },
  ]);
  expect((await ask({ 'ceph status': { json: status } }).status(signal)).ranks).toEqual([]);
});

test('a manager that has not heard of all groups yet gives no answer', async () => {
  const ceph = ask({ 'ceph pg dump': { json: { pg_ready: false, pg_stats: [], osd_stats: [] } } });
  await expect(ceph.pgMap(signal)).rejects.toThrow(CephUnreadable);
});

test('reports are read from lines, and OSDs that are down are left out', async () => {
  const stdout = 'osd.0: 73014444038\nosd.2: 9\n';
  const ceph = ask({
    'ceph tell osd.* flush_pg_stats': { code: 6, stdout, stderr: 'Error ENXIO: problem getting command' },
  });
  expect([...(await ceph.flushReports(signal))]).toEqual([
    [0, 73014444038],
    [2, 9],
  ]);
});

test('log lines before an answer are skipped', async () => {
  const stdout = '2026-11-18T00:00:00 7f -1 some warning\n["a","b"]\n';
  const ceph = ask({ 'radosgw-admin bucket list': { code: 0, stdout, stderr: '' } });
  expect(await ceph.buckets({}, signal)).toEqual(['a', 'b']);
});

test('realm, zone group and zone are named where they are known', async () => {
  const runner = fakeRunner({ 'radosgw-admin bucket list': { json: [] } });
  await cephClient(runner).buckets({ realm: 'r', zoneGroup: 'g', zone: 'z' }, signal);
  expect(runner.asked).toEqual(['radosgw-admin bucket list --rgw-realm=r --rgw-zonegroup=g --rgw-zone=z']);
});

test.for([
  { name: 'an empty answer', reply: { code: 0, stdout: '', stderr: '' }, error: CephUnreadable },
  {
    name: 'something else than JSON',
    reply: { code: 0, stdout: 'hello', stderr: '' },
    error: CephUnreadable,
  },
  { name: 'JSON of another shape', reply: { json: { images: 3 } }, error: CephUnreadable },
  { name: 'a list of something else', reply: { json: [1] }, error: CephUnreadable },
  { name: 'a failure', reply: { code: 2, stdout: '', stderr: 'rbd: no such pool' }, error: CephRefused },
  { name: 'silence', reply: 'silence' as const, error: CephSilent },
])('$name is never taken for an empty list of images', async ({ reply, error }) => {
  await expect(ask({ 'rbd ls': reply }).images('p', '', signal)).rejects.toThrow(error);
});

test('a refusal says which command failed, how, and why', async () => {
  const stderr = '2026-11-18 7f -1 asok: failed\n\nError ENOENT: unrecognized pool\n';
  const ceph = ask({ 'ceph osd set-group': { code: 2, stdout: '', stderr } });
  await expect(ceph.setNoout('zone-x', signal)).rejects.toMatchObject({
    code: 2,
    message: '"ceph osd set-group noout zone-x" failed with code 2: Error ENOENT: unrecognized pool',
  });
});
