import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Kinds, kindKey, UserError } from '#pkg/object';
import { loadManifests, type Manifests } from './load.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rook-deps-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function save(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  return path;
}

function load(paths: readonly string[], stdin = ''): Promise<Manifests> {
  const sources = { paths, readStdin: () => Promise.resolve(stdin), defaultNamespace: 'here' };
  return loadManifests(sources, new AbortController().signal);
}

const pool = (name: string, namespace?: string): string =>
  JSON.stringify({
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephBlockPool',
    metadata: { name, ...(namespace ? { namespace } : {}) },
  });
const names = ({ objects }: Manifests): readonly string[] => objects.map(({ metadata }) => metadata.name);

describe('manifests are read', () => {
  test('from a file of any name', async () => {
    expect(names(await load([await save('dump.txt', pool('a'))]))).toEqual(['a']);
  });

  test('from a folder and the folders in it, in the order of their names, and from no other kind of file', async () => {
    await save('b.yaml', pool('b'));
    await save('a.yml', pool('a'));
    await save('c/deep/c.json', pool('c'));
    await save('README.md', 'not: [a manifest');
    await save('d.yaml/inside.yaml', pool('d'));
    expect(names(await load([folder]))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('from standard input, among others', async () => {
    const file = await save('a.yaml', pool('a'));
    expect(names(await load([file, '-'], pool('stdin')))).toEqual(['a', 'stdin']);
  });

  test('in the encoding of Windows PowerShell', async () => {
    const text = Buffer.from(`\ufeff${pool('a')}`, 'utf16le');
    expect(names(await load([await save('a.json', text)]))).toEqual(['a']);
  });
});

describe('a namespace', () => {
  test('is given to a namespaced object that names none, and to no other', async () => {
    const volume = '{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"}}';
    const { objects } = await load(['-'], `[${pool('a')},${pool('b', 'there')},${volume}]`);
    expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(['here', 'there', undefined]);
  });
});

describe('an object that is there twice', () => {
  test('is warned of, and the last one counts', async () => {
    const first = await save('1.json', pool('a', 'here'));
    const second = await save('2.yaml', `${pool('a').slice(0, -1)},"spec":{"second":true}}`);
    const { objects, warnings } = await load([first, second]);
    expect(objects).toMatchObject([{ metadata: { name: 'a' }, spec: { second: true } }]);
    expect(warnings).toEqual([
      `CephBlockPool here/a is in ${first} and again in ${second}; the last one counts`,
    ]);
  });

  test('is not one of another namespace or kind', async () => {
    const { objects, warnings } = await load(['-'], `[${pool('a', 'x')},${pool('a', 'y')}]`);
    expect(objects).toHaveLength(2);
    expect(warnings).toEqual([]);
  });
});

test('the kinds of objects and of empty lists are known', async () => {
  const { kinds } = await load(['-'], `${pool('a')}`);
  expect([...kinds]).toEqual([kindKey(Kinds.CephBlockPool)]);
  const empty = await load(['-'], '{"apiVersion":"v1","kind":"PersistentVolumeList","items":[]}');
  expect([...empty.kinds]).toEqual([kindKey(Kinds.PersistentVolume)]);
});

describe('a failure', () => {
  test('names the missing path in words of kubectl', async () => {
    await expect(load([join(folder, 'nope.yaml')])).rejects.toThrow(
      new UserError(`error: the path "${join(folder, 'nope.yaml')}" does not exist`),
    );
  });

  test('names the folder that holds no manifest', async () => {
    await save('README.md', 'hello');
    await expect(load([folder])).rejects.toThrow(`error: no YAML or JSON files in the folder "${folder}"`);
  });

  test('in one of many files spoils all: half a cluster gives a wrong answer', async () => {
    await save('a.yaml', pool('a'));
    const broken = await save('b.yaml', 'apiVersion: v1\nkind: [');
    await expect(load([folder])).rejects.toThrow(`error: error parsing ${broken}: document 1, line 2: `);
  });

  test('of standard input names it STDIN', async () => {
    await expect(load(['-'], 'hello')).rejects.toThrow('error parsing STDIN: document 1, line 1: ');
  });
});

test('an abort ends the reading', async () => {
  const sources = {
    paths: [await save('a.yaml', pool('a'))],
    readStdin: () => Promise.resolve(''),
    defaultNamespace: '',
  };
  await expect(loadManifests(sources, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
