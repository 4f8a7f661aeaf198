import { describe, expect, test } from 'vitest';
import { run } from '#test/fakes/program.ts';
import { COMMANDS } from '../program.ts';

const EXAMPLES = ['--from', 'docs/examples', '-n', 'rook-ceph'];

/** Completes the last word; returns the values, and the directive. */
async function complete(
  ...line: string[]
): Promise<{ values: string[]; directive: string; lines: string[] }> {
  const { code, out, err } = await run(['__complete', ...line]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const lines = out.trimEnd().split('\n');
  const directive = lines.pop() ?? '';
  return { values: lines.map((text) => text.split('\t')[0] ?? ''), directive, lines };
}

describe('commands', () => {
  test('are offered with their summary, hidden ones are not', async () => {
    const { values, lines, directive } = await complete('');
    expect(values).toEqual([
      ...COMMANDS.filter(({ isHidden }) => !isHidden).map(({ name }) => name),
      'help',
      'options',
    ]);
    expect(lines[0]).toBe('why\tMay this resource go? What holds it, and what to do next');
    expect(directive).toBe(':4');
  });

  test.for([
    { line: ['wh'], values: ['why'] },
    { line: ['-n', 'x', 'wh'], values: ['why'] },
    { line: ['help', 'tr'], values: ['tree'] },
    { line: ['nosuch', ''], values: [] },
    { line: [], values: ['why'] },
  ])('$line becomes $values', async ({ line, values }) => {
    expect((await complete(...line)).values).toEqual(expect.arrayContaining(values));
    if (values.length === 0) expect((await complete(...line)).values).toEqual([]);
  });
});

describe('flags', () => {
  test('of a command and those of all are offered', async () => {
    const { values } = await complete('why', '--');
    expect(values).toEqual(expect.arrayContaining(['--exit-code', '--from', '--namespace', '--kubeconfig']));
  });

  test('come with their letters after one dash', async () => {
    expect((await complete('why', '-')).values).toEqual(expect.arrayContaining(['-o', '-n', '-v', '--from']));
  });

  test('are offered once, unless they can be repeated', async () => {
    const { values } = await complete('why', '-o', 'json', '--from', 'x', '--');
    expect(values).not.toContain('--output');
    expect(values).toContain('--from');
  });

  test('are not offered after the end of flags', async () => {
    expect((await complete('why', '--', '--out')).values).toEqual([]);
  });

  test('have the first sentence of their help as description', async () => {
    expect((await complete('why', '--out')).lines).toEqual(['--output\tOutput format']);
  });

  test('whose value is a file leave it to the shell', async () => {
    expect(await complete('why', '--from', '')).toMatchObject({ values: [], directive: ':0' });
    expect(await complete('completion', 'install', '--dir', '')).toMatchObject({
      values: [],
      directive: ':16',
    });
  });

  test.for([
    { line: ['why', '-o', ''], values: ['json', 'name', 'wide', 'yaml'] },
    { line: ['why', '-o', 'y'], values: ['yaml'] },
    { line: ['why', '--output=j'], values: ['json'] },
    { line: ['why', '-Ao', 'j'], values: ['json'] },
    { line: ['graph', '--output', 'd'], values: ['dot'] },
    { line: ['-o', 'j', 'version', '-o', ''], values: ['json', 'yaml'] },
    { line: ['--color', 'a'], values: ['auto', 'always'] },
    { line: ['install', '--dry-run='], values: ['none', 'client', 'server'] },
    { line: ['why', '--quiet='], values: ['true', 'false'] },
    { line: ['why', '--nosuch='], values: [] },
    {
      line: ['install', '--grant', 'cephblockpool'],
      values: ['cephblockpool', 'cephblockpoolradosnamespace'],
    },
  ])('$line takes $values', async ({ line, values }) => {
    expect((await complete(...line)).values).toEqual(values);
  });
});

describe('resources', () => {
  const askAboutResources = COMMANDS.filter(({ name }) =>
    ['why', 'tree', 'protect', 'unprotect'].includes(name),
  );
  test.for(askAboutResources)('the kinds are offered to $name, by its usage alone', async ({ name }) => {
    const { values, lines } = await complete(name, 'cephbl');
    expect(values).toEqual(['cephblockpool', 'cephblockpoolradosnamespace']);
    expect(lines[0]).toBe('cephblockpool\tCephBlockPool (ceph.rook.io)');
  });

  test('kinds are in the plural where that is being typed', async () => {
    expect((await complete('why', 'cephblockpools')).values).toEqual(['cephblockpools']);
  });

  test('names come with their phase', async () => {
    const { lines } = await complete('why', ...EXAMPLES, 'cephbp', 'repl');
    expect(lines).toEqual(['replicapool\tReady', 'replicated-metadata-pool\tReady']);
  });

  test('names that are there already are not offered again', async () => {
    const { values } = await complete('why', ...EXAMPLES, 'cephbp', 'replicapool', 'repl');
    expect(values).toEqual(['replicated-metadata-pool']);
  });

  test('a slash asks for names, too', async () => {
    const { values } = await complete('tree', ...EXAMPLES, 'cephbp/replicap');
    expect(values).toEqual(['cephbp/replicapool']);
  });

  test('after TYPE/NAME comes another, without a space after the slash', async () => {
    expect(await complete('why', ...EXAMPLES, 'cephbp/x', 'cephnf')).toMatchObject({
      values: ['cephnfs/'],
      directive: ':6',
    });
  });

  test('as the value of a flag are one word', async () => {
    expect(await complete('protect', 'cephbp', 'x', '--by', 'cephnf')).toMatchObject({
      values: ['cephnfs/'],
      directive: ':6',
    });
  });

  test('of another namespace are not offered', async () => {
    expect((await complete('why', '--from', 'docs/examples', '-n', 'default', 'cephbp', '')).values).toEqual(
      [],
    );
  });
});

test('codes are offered with their titles', async () => {
  expect((await complete('explain', 'RD002')).lines).toEqual(['RD002\tA rados namespace inside the pool']);
});

test('commands that take no words are offered none', async () => {
  expect((await complete('graph', '')).values).toEqual([]);
});

describe('a failure is silent and offers nothing', () => {
  test.for([
    { what: 'a kind that does not exist', line: ['why', ...EXAMPLES, 'nosuch', ''] },
    { what: 'files that do not exist', line: ['why', '--from', '/nosuch', 'cephbp', ''] },
    { what: 'a server that is not there', line: ['why', '--server', 'http://127.0.0.1:1', 'cephbp', ''] },
    { what: 'a kubeconfig that is not there', line: ['why', '--kubeconfig', '/nosuch', '--context', ''] },
    { what: 'a flag that does not exist', line: ['why', '--nosuch', 'x', 'cephbp', ''] },
  ])('$what', async ({ line }) => {
    expect(await complete(...line)).toEqual({ values: [], lines: [], directive: ':4' });
  });
});
