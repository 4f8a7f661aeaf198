import { describe, expect, test } from 'vitest';
import { UserError } from '#pkg/object';
import { parseDocuments } from './documents.ts';

function namesIn(text: string): readonly string[] {
  return parseDocuments(text, 'f').objects.map(
    ({ apiVersion, kind, metadata }) => `${apiVersion} ${kind}/${metadata.name}`,
  );
}

function problemOf(text: string): string {
  try {
    parseDocuments(text, 'dump.yaml');
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
  throw new Error('nothing is wrong');
}

const POD = '{apiVersion: v1, kind: Pod, metadata: {name: a}}';

describe('objects are read', () => {
  const rows = [
    { name: 'nothing at all', text: '', names: [] },
    { name: 'comments alone', text: '# nothing\n', names: [] },
    {
      name: 'one YAML document',
      text: 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n',
      names: ['v1 Pod/a'],
    },
    {
      name: 'several documents, empty ones between',
      text: `---\n${POD}\n---\n---\n# nothing\n---\n${POD.replace('a}}', 'b}}')}\n...\n`,
      names: ['v1 Pod/a', 'v1 Pod/b'],
    },
    {
      name: 'Windows line ends and a byte order mark',
      text: '\ufeffapiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: a\r\n',
      names: ['v1 Pod/a'],
    },
    { name: 'JSON', text: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}', names: ['v1 Pod/a'] },
    {
      name: 'JSON after JSON, as repeated commands leave it',
      text: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x":"}\\"{"}}}\n{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}]}\n',
      names: ['v1 Pod/a', 'v1 Pod/b'],
    },
    {
      name: 'a bare JSON array',
      text: '[{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}]',
      names: ['v1 Pod/a'],
    },
    {
      name: 'kind: List',
      text: `{apiVersion: v1, kind: List, items: [${POD}, {apiVersion: apps/v1, kind: Deployment, metadata: {name: d}}]}`,
      names: ['v1 Pod/a', 'apps/v1 Deployment/d'],
    },
    {
      name: 'a typed list whose items leave out their kind',
      text: '{apiVersion: ceph.rook.io/v1, kind: CephBlockPoolList, items: [{metadata: {name: p}}]}',
      names: ['ceph.rook.io/v1 CephBlockPool/p'],
    },
    {
      name: 'a typed list whose items have their kind',
      text: `{apiVersion: v1, kind: PodList, items: [${POD}]}`,
      names: ['v1 Pod/a'],
    },
    {
      name: 'an object whose kind merely ends in List',
      text: '{apiVersion: example.com/v1, kind: AllowList, metadata: {name: l}, spec: {}}',
      names: ['example.com/v1 AllowList/l'],
    },
    {
      name: 'anchors and aliases',
      text: 'apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: &l {x: y}}\nspec: {copy: *l}\n',
      names: ['v1 Pod/a'],
    },
    {
      name: 'creationTimestamp: null',
      text: POD.replace('a}', 'a, creationTimestamp: null}'),
      names: ['v1 Pod/a'],
    },
  ];
  test.for(rows)('from $name', ({ text, names }) => {
    expect(namesIn(text)).toEqual(names);
  });

  test('as they are, with text that looks like numbers kept as text', () => {
    const [object] = parseDocuments(
      `${POD.slice(0, -1)}, spec: {a: "007", b: 7, c: yes, d: 2026-11-18}}`,
      'f',
    ).objects;
    expect(object?.['spec']).toEqual({ a: '007', b: 7, c: 'yes', d: '2026-11-18' });
  });
});

test('an empty typed list says that there are none of its kind', () => {
  const { objects, listedKinds } = parseDocuments(
    '{"apiVersion":"ceph.rook.io/v1","kind":"CephNFSList","items":[]}',
    'f',
  );
  expect(objects).toEqual([]);
  expect(listedKinds).toEqual([{ group: 'ceph.rook.io', kind: 'CephNFS' }]);
});

test('kind: List says nothing of kinds', () => {
  expect(parseDocuments('{kind: List, apiVersion: v1, items: []}', 'f').listedKinds).toEqual([]);
});

describe('what cannot be read is refused with file, document and line', () => {
  const rows = [
    {
      name: 'a broken mapping in the second document',
      text: `${POD}\n---\napiVersion: v1\nkind: [Pod\n`,
      where: 'dump.yaml: document 2, line 5: ',
    },
    {
      name: 'bad indentation',
      text: 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n bad: x\n',
      where: 'dump.yaml: document 1, line 5: ',
    },
    {
      name: 'a tab for indentation',
      text: 'apiVersion: v1\nmetadata:\n\tname: a\n',
      where: 'dump.yaml: document 1, line 3: ',
    },
    {
      name: 'a key that is there twice',
      text: 'apiVersion: v1\nkind: Pod\nkind: Secret\nmetadata: {name: a}\n',
      where: 'dump.yaml: document 1, line 3: ',
    },
    {
      name: 'JSON that was cut off',
      text: '{\n  "apiVersion": "v1",\n  "kind": "Pod",\n  "metadata": {\n    "name": "a',
      where: 'dump.yaml: document 1, line 5: ',
    },
    {
      name: 'JSON after JSON, the last cut off',
      text: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}\n{"apiVersion":"v1",\n"kind":"P',
      where: 'dump.yaml: document 1, line 2: ',
    },
    {
      name: 'a wrong object in JSON after JSON',
      text: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}{"kind":"Pod"}',
      where: "dump.yaml: document 2: Object 'apiVersion' is missing",
    },
    {
      name: 'YAML that was cut off',
      text: `${POD}\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  na`,
      where: 'dump.yaml: document 2, line 3: ',
    },
    {
      name: 'an undefined alias',
      text: `${POD}\n---\na: *nowhere\n`,
      where: 'dump.yaml: document 2, line 3: ',
    },
    { name: 'plain text', text: 'hello\n', where: 'dump.yaml: document 1, line 1: not a Kubernetes object' },
    {
      name: 'an object without apiVersion',
      text: `# one\n${POD}\n---\nkind: Pod\n`,
      where: "dump.yaml: document 2, line 4: Object 'apiVersion' is missing",
    },
    {
      name: 'an object without kind',
      text: 'apiVersion: v1\n',
      where: "dump.yaml: document 1, line 1: Object 'Kind' is missing",
    },
    {
      name: 'an object without a name',
      text: '{apiVersion: v1, kind: Pod, metadata: {}}',
      where: 'dump.yaml: document 1, line 1: Pod has no metadata.name',
    },
    {
      name: 'a name that is a number',
      text: '{apiVersion: v1, kind: Pod, metadata: {name: 7}}',
      where: 'dump.yaml: document 1, line 1: Pod has no metadata.name',
    },
    {
      name: 'an item of a list that is no object',
      text: '{apiVersion: v1, kind: List, items: [hello]}',
      where: 'dump.yaml: document 1, line 1: not a Kubernetes object',
    },
    {
      name: 'a JSON object of no kind',
      text: '{"a": 1}',
      where: "dump.yaml: Object 'apiVersion' is missing",
    },
  ];
  test.for(rows)('$name', ({ text, where }) => {
    const problem = problemOf(text);
    expect(problem).toContain(`error: error parsing ${where}`);
    expect(problem).not.toContain('\n');
  });

  test('binary garbage', () => {
    const garbage = Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 37) % 256)).toString('utf8');
    expect(problemOf(garbage)).toMatch(/^error: error parsing dump\.yaml: document \d+, line \d+: /);
  });

  test('aliases that unfold without end, at once', () => {
    const levels = Array.from({ length: 20 }, (_, at) =>
      at === 0 ? 'a0: &a0 [x, x]' : `a${at}: &a${at} [${`*a${at - 1}, `.repeat(9)}x]`,
    );
    expect(problemOf(levels.join('\n'))).toContain('error parsing dump.yaml: document 1, line 1: ');
  });
});

test('a key named __proto__ stays a key', () => {
  const [object] = parseDocuments(`${POD.slice(0, -1)}, __proto__: {spec: {evil: true}}}`, 'f').objects;
  expect(object?.['spec']).toBeUndefined();
});
