import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { DependencyGraph } from '#pkg/render';
import { run, type Outcome } from '#test/fakes/program.ts';
import { aCluster, aPool, aRadosNamespace } from '#test/fixtures/objects.ts';

const STDIN = JSON.stringify([aCluster(), aPool('p'), aRadosNamespace('t', 'p'), aPool('q')]);
const tree = (line: string, parts = {}): Promise<Outcome> =>
  run(`tree --from - ${line}`, { stdin: STDIN, ...parts });

describe('tree', () => {
  const golden = [
    { name: 'cluster', line: 'cephcluster/rook-ceph --from docs/examples' },
    { name: 'claim-up', line: 'pvc/library -n media --up --from docs/examples' },
  ];
  test.for(golden)('reads as agreed: $name', async ({ name, line }) => {
    const { code, out, err } = await run(`tree ${line}`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    await expect(out).toMatchFileSnapshot(`../../../test/fixtures/golden/tree-${name}.txt`);
  });

  test('shows several roots, an empty line between', async () => {
    const { out } = await tree('cephbp p q --no-headers');
    expect(out.split('\n\n').map((text) => text.split(' ')[0])).toEqual([
      'CephBlockPool/p',
      'CephBlockPool/q',
    ]);
  });

  test('uses ASCII when asked to', async () => {
    expect((await tree('cephcluster --ascii')).out).toMatch(/^[ -~\n]+$/);
    expect((await tree('cephcluster')).out).toContain('└─');
  });

  test('prints bare names for scripts', async () => {
    expect((await tree('cephcluster -o name')).out).toBe(
      [
        'cephcluster.ceph.rook.io/rook-ceph',
        'cephblockpool.ceph.rook.io/p',
        'cephblockpoolradosnamespace.ceph.rook.io/t',
        'cephblockpool.ceph.rook.io/q\n',
      ].join('\n'),
    );
  });

  test('has code and field in the wide form', async () => {
    expect((await tree('cephbp/p -o wide')).out).toMatch(/CODE +FIELD\n[^]*RD002 +spec.blockPoolName\n/);
  });

  test('as JSON is a graph with its roots; YAML says the same', async () => {
    const document = JSON.parse((await tree('cephbp/p -o json')).out) as DependencyGraph;
    expect(document).toMatchObject({
      kind: 'DependencyGraph',
      roots: ['CephBlockPool.ceph.rook.io/rook-ceph/p'],
      nodes: [{ name: 'p' }, { name: 't' }],
      edges: [{ code: 'RD002' }],
    });
    expect(parse((await tree('cephbp/p -o yaml')).out)).toEqual(document);
  });

  test('ends at its depth in every form', async () => {
    expect((await tree('cephcluster --depth 1')).out).not.toContain('CephBlockPoolRadosNamespace');
    expect((await tree('cephcluster --depth 2')).out).toContain('CephBlockPoolRadosNamespace');
    const up = JSON.parse((await tree('cephrns/t --up --depth 1 -o json')).out) as DependencyGraph;
    expect(up.nodes.map(({ name }) => name)).toEqual(['p', 't', 'rook-ceph']);
  });

  test.for(['0', '-1', 'two', '1.5', ''])('refuses --depth=%s', async (depth) => {
    expect(await tree(`cephcluster --depth=${depth}`)).toEqual({
      code: 1,
      out: '',
      err: `error: invalid argument "${depth}" for "--depth" flag: must be a number above 0\n`,
    });
  });

  test('says when there is nothing, and where it looked', async () => {
    expect(await tree('cephnfs')).toEqual({ code: 0, out: '', err: 'No resources found\n' });
    expect((await tree('cephnfs -n x')).err).toBe('No resources found in x namespace.\n');
    expect((await tree('cephnfs -n x -A')).err).toBe('No resources found\n');
  });

  test('needs a resource', async () => {
    expect((await tree('')).err).toContain('You must specify the type of resource');
  });

  test('marks what is mentioned and not there', async () => {
    const stdin = JSON.stringify([aRadosNamespace('t', 'gone')]);
    expect((await tree('cephrns/t --up', { stdin })).out).toMatch(/CephBlockPool\/gone .* not found\n/);
  });
});
