import { describe, expect, test } from 'vitest';
import { KNOWN_TYPES, ResourceTypes, UserError } from '#pkg/object';
import { resourceArgs } from './resource-args.ts';

const types = new ResourceTypes(KNOWN_TYPES);

describe('arguments name', () => {
  const rows = [
    { line: 'cephblockpool/a', named: ['CephBlockPool/a'] },
    { line: 'cephbp/a cephfs/b', named: ['CephBlockPool/a', 'CephFilesystem/b'] },
    { line: 'cephbp a', named: ['CephBlockPool/a'] },
    { line: 'cephbp a b', named: ['CephBlockPool/a', 'CephBlockPool/b'] },
    { line: 'CephBlockPools a', named: ['CephBlockPool/a'] },
    { line: 'cephblockpools.ceph.rook.io/a', named: ['CephBlockPool/a'] },
    { line: 'cephblockpools.v1.ceph.rook.io a', named: ['CephBlockPool/a'] },
    { line: 'nfs/a', named: ['CephNFS/a'] },
    { line: 'pv', named: ['PersistentVolume'] },
    { line: 'cephbp,cephfs', named: ['CephBlockPool', 'CephFilesystem'] },
    { line: 'cephbp,cephfs a', named: ['CephBlockPool/a', 'CephFilesystem/a'] },
  ];
  test.for(rows)('$line', ({ line, named }) => {
    const found = resourceArgs(line.split(' '), types);
    expect(found.map(({ type, name }) => (name === undefined ? type.kind : `${type.kind}/${name}`))).toEqual(
      named,
    );
  });
});

describe('arguments are refused', () => {
  const rows = [
    { words: [], problem: 'You must specify the type of resource' },
    { words: ['nope'], problem: `the server doesn't have a resource type "nope"` },
    { words: ['nope/a'], problem: `the server doesn't have a resource type "nope"` },
    { words: ['cephbp,nope'], problem: `the server doesn't have a resource type "nope"` },
    { words: ['cephbp', 'cephfs/a'], problem: 'there is no need to specify a resource type as a separate' },
    { words: ['cephbp/a/b'], problem: 'must have a single resource and name' },
    { words: ['cephbp/'], problem: 'must have a single resource and name' },
    { words: ['/a'], problem: 'must have a single resource and name' },
  ];
  test.for(rows)('$words', ({ words, problem }) => {
    expect(() => resourceArgs(words, types)).toThrow(UserError);
    expect(() => resourceArgs(words, types)).toThrow(problem);
  });
});
