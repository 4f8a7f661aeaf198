import { beforeAll, describe, expect, test } from 'vitest';
import { Kinds, kindKey, refOf, type KubeObject } from '#pkg/object';
import { DependencyIndex } from '#pkg/rules';
import { example, exampleObjects } from '#test/fixtures/examples.ts';
import { aCluster, anObject, aPool, aRadosNamespace } from '#test/fixtures/objects.ts';
import { plainStyle } from './style.ts';
import { renderTree, treeNames, type TreeRequest, type TreeTextOptions } from './tree-text.ts';

const PLAIN: TreeTextOptions = { style: plainStyle, wide: false, headers: true };

function request(
  objects: readonly KubeObject[],
  root: KubeObject,
  parts: Partial<TreeRequest> = {},
): TreeRequest {
  const index = new DependencyIndex(objects);
  return {
    index,
    root: refOf(root),
    direction: 'dependents',
    depth: Infinity,
    isKnown: () => false,
    ...parts,
  };
}

describe('the example cluster', () => {
  let objects: readonly KubeObject[] = [];
  beforeAll(async () => {
    objects = await exampleObjects();
  });

  interface Golden {
    readonly name: string;
    readonly kind: string;
    readonly root: string;
    readonly parts?: Partial<TreeRequest>;
    readonly options?: Partial<TreeTextOptions>;
  }
  const ascii = { style: { ...plainStyle, unicode: false } };
  const golden: Golden[] = [
    { name: 'cluster', kind: 'CephCluster', root: 'rook-ceph' },
    {
      name: 'filesystem-ascii-wide',
      kind: 'CephFilesystem',
      root: 'myfs',
      options: { ...ascii, wide: true },
    },
    { name: 'pod-up', kind: 'Pod', root: 'orders-db-0', parts: { direction: 'providers' } },
    {
      name: 'pod-up-ec',
      kind: 'Pod',
      root: 'warehouse-0',
      parts: { direction: 'providers' },
      options: { headers: false },
    },
    { name: 'cluster-depth-2', kind: 'CephCluster', root: 'rook-ceph', parts: { depth: 2 } },
  ];
  test.for(golden)('grows as agreed: $name', async ({ name, kind, root, parts, options }) => {
    const lines = renderTree(request(objects, example(objects, kind, root), parts), { ...PLAIN, ...options });
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`../../test/fixtures/golden/tree-${name}.txt`);
  });

  test('is named in full, root first, each object once', () => {
    const names = treeNames(request(objects, example(objects, 'CephCluster', 'rook-ceph')));
    expect(names[0]).toBe('cephcluster.ceph.rook.io/rook-ceph');
    expect(names).toContain('objectbucketclaim.objectbucket.io/photos');
    expect(names).toEqual([...new Set(names)]);
  });
});

describe('a tree', () => {
  const cluster = aCluster();
  const pool = aPool('p');
  const tenant = aRadosNamespace('t', 'p');
  const lines = (parts: TreeRequest, options = PLAIN): readonly string[] =>
    renderTree(parts, { ...options, headers: false });

  test('of one object has one line', () => {
    expect(lines(request([pool], pool))).toEqual(['CephBlockPool/p (rook-ceph)']);
  });

  test('shows an object below the nearest thing it needs only', () => {
    expect(
      lines(request([cluster, pool, tenant], cluster)).map((line) => line.replace(/(\S) {3}.*/, '$1')),
    ).toEqual([
      'CephCluster/rook-ceph (rook-ceph)',
      '└─ CephBlockPool/p',
      '   └─ CephBlockPoolRadosNamespace/t',
    ]);
  });

  test('tells of two relations the one that blocks', () => {
    const claim = anObject(Kinds.PersistentVolumeClaim, 'c');
    const owner = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: 'c', uid: '' };
    const pod = anObject(Kinds.Pod, 'p', {
      ownerReferences: [owner],
      spec: { volumes: [{ persistentVolumeClaim: { claimName: 'c' } }] },
    });
    expect(lines(request([claim, pod], claim))).toEqual([
      'PersistentVolumeClaim/c (rook-ceph)',
      expect.stringMatching(/^└─ Pod\/p +mounts$/),
    ]);
  });

  test('ends at its depth, without pointing to what it left out', () => {
    const text = lines(request([cluster, pool, tenant], cluster, { depth: 1 })).join('\n');
    expect(text).toContain('CephBlockPool/p');
    expect(text).not.toContain('CephBlockPoolRadosNamespace');
    expect(text).not.toContain('see above');
  });

  test('ends although objects own each other', () => {
    const owner = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: '' });
    const a = anObject(Kinds.ConfigMap, 'a', { ownerReferences: [owner('b')] as never });
    const b = anObject(Kinds.ConfigMap, 'b', { ownerReferences: [owner('a')] as never });
    expect(lines(request([a, b], a)).map((line) => line.trim())).toEqual([
      'ConfigMap/a (rook-ceph)',
      expect.stringMatching(/^└─ ConfigMap\/b +is owned by \(does not block\)$/),
      expect.stringMatching(/^└─ ConfigMap\/a +is owned by \(does not block\) {3}\(see above\)$/),
    ]);
  });

  test('tells an object that is not there from one that was not looked for', () => {
    const up = { direction: 'providers', isKnown: () => true } as const;
    expect(lines(request([tenant], tenant, up)).join('\n')).toMatch(/CephBlockPool\/p .* not found/);
    const unseen = {
      ...up,
      isKnown: (ref: object) => kindKey(ref as never) !== kindKey(Kinds.CephBlockPool),
    };
    expect(lines(request([tenant], tenant, unseen)).join('\n')).not.toContain('not found');
  });

  test('writes nothing to the screen by itself', () => {
    const evil = aRadosNamespace('t\u001b[2J', 'p', { status: { phase: '\u001b[31m' } });
    expect(lines(request([pool, evil], pool)).join('\n')).not.toContain('\u001b');
  });

  test('paints its branches and keeps its columns', () => {
    const paint = (_tone: string, text: string): string => (text ? `\u001b[90m${text}\u001b[0m` : '');
    const painted = lines(request([cluster, pool, tenant], cluster), {
      ...PLAIN,
      style: { ...plainStyle, paint },
    });
    const plain = lines(request([cluster, pool, tenant], cluster));
    // oxlint-disable-next-line no-control-regex -- colours are what is left out
    expect(painted.map((line) => line.replace(/\u001b\[[0-9;]*m/g, ''))).toEqual(plain);
    expect(painted[1]).toContain('\u001b[90m└─ \u001b[0mCephBlockPool/p');
  });
});
