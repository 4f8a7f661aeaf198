import { describe, expect, test } from 'vitest';
import { UserError } from '#pkg/object';
import type { FlagSpecs } from './command.ts';
import { parseArgs } from './parse.ts';

const FLAGS: FlagSpecs = {
  namespace: { type: 'string', alias: 'n', describe: '' },
  output: { type: 'string', alias: 'o', describe: '' },
  from: { type: 'array', describe: '' },
  quiet: { type: 'boolean', alias: 'q', describe: '' },
  'all-namespaces': { type: 'boolean', alias: 'A', describe: '' },
  'no-ceph': { type: 'boolean', describe: '' },
  color: { type: 'string', choices: ['auto', 'always'], describe: '' },
  v: { type: 'string', describe: '' },
  help: { type: 'boolean', alias: 'h', describe: '' },
};
const parse = (line: string): ReturnType<typeof parseArgs> =>
  parseArgs(line.split(' '), FLAGS, 'kubectl rook-deps why');

function problemOf(line: string): string {
  try {
    parse(line);
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
  throw new Error('nothing is wrong');
}

describe('a flag with a value', () => {
  const rows: { line: string; value: string; words?: string[] }[] = [
    { line: '--output json', value: 'json' },
    { line: '--output=json', value: 'json' },
    { line: '-o json', value: 'json' },
    { line: '-ojson', value: 'json' },
    { line: '-o=json', value: 'json' },
    { line: '-qojson', value: 'json' },
    { line: '-qo json', value: 'json' },
    { line: '-o json x', value: 'json', words: ['x'] },
    { line: 'x -o json', value: 'json', words: ['x'] },
    { line: '-o a -o b --output=c', value: 'c' },
    { line: '--output=a=b', value: 'a=b' },
    { line: '-o -q', value: '-q' },
    { line: '--output -', value: '-' },
    { line: '-o 0x10', value: '0x10' },
    { line: '-o 007', value: '007' },
    { line: '-o 1e3', value: '1e3' },
    { line: '--output=', value: '' },
    { line: '--output=true', value: 'true' },
  ];
  test.for(rows)('$line reads as "$value"', ({ line, value, words = [] }) => {
    const args = parse(line);
    expect(args.text('output')).toBe(value);
    expect(args.words).toEqual(words);
  });

  test('that is not given is undefined', () => {
    expect(parse('x').text('output')).toBeUndefined();
    expect(parse('x').texts('from')).toEqual([]);
  });

  test('with one letter for a name takes both spellings', () => {
    expect(parse('-v 6').text('v')).toBe('6');
    expect(parse('-v=6').text('v')).toBe('6');
    expect(parse('--v=6').text('v')).toBe('6');
  });
});

describe('a repeated flag', () => {
  test('of a list accumulates, and takes one word each', () => {
    const args = parse('--from a pod/x --from=b --from -');
    expect(args.texts('from')).toEqual(['a', 'b', '-']);
    expect(args.words).toEqual(['pod/x']);
  });

  test('of truth counts last', () => {
    expect(parse('-q -q=false').isSet('quiet')).toBe(false);
    expect(parse('--quiet=false --quiet').isSet('quiet')).toBe(true);
  });
});

describe('a flag of truth', () => {
  test.for(['-q', '-qA', '-Aq', '--quiet', '--quiet=true', '-q=1', '--quiet=T'])('%s is set', (line) => {
    expect(parse(line).isSet('quiet')).toBe(true);
  });

  test.for(['x', '-A', '--quiet=false', '-q=0', '--quiet=F'])('is not set by %s', (line) => {
    expect(parse(line).isSet('quiet')).toBe(false);
  });

  test('does not take the next word', () => {
    expect(parse('-q false').words).toEqual(['false']);
  });

  test('whose name begins with no- is a flag like any other', () => {
    expect(parse('--no-ceph').isSet('no-ceph')).toBe(true);
    expect(problemOf('--no-quiet')).toContain('unknown flag: --no-quiet');
  });
});

describe('words', () => {
  test('stay text', () => {
    expect(parse('1 0x10 1e3 true null -').words).toEqual(['1', '0x10', '1e3', 'true', 'null', '-']);
  });

  test('after -- are words, whatever they look like', () => {
    const args = parse('a -- -q --nope -ojson');
    expect(args.words).toEqual(['a', '-q', '--nope', '-ojson']);
    expect(args.isSet('quiet')).toBe(false);
  });
});

describe('kubectl refuses in these words', () => {
  const usage = `\nSee 'kubectl rook-deps why --help' for usage.`;
  const rows = [
    { line: '--nope', problem: `error: unknown flag: --nope${usage}` },
    { line: '--nope=x', problem: `error: unknown flag: --nope${usage}` },
    { line: '--constructor', problem: `error: unknown flag: --constructor${usage}` },
    { line: '-z', problem: `error: unknown shorthand flag: 'z' in -z${usage}` },
    { line: '-qz', problem: `error: unknown shorthand flag: 'z' in -qz${usage}` },
    { line: '--output', problem: `error: flag needs an argument: --output${usage}` },
    { line: 'x -o', problem: `error: flag needs an argument: 'o' in -o${usage}` },
    {
      line: '--quiet=maybe',
      problem: `error: invalid argument "maybe" for "--quiet" flag: strconv.ParseBool: parsing "maybe": invalid syntax`,
    },
    {
      line: '--color red --color blue',
      problem: 'error: invalid argument "blue" for "--color" flag: must be one of auto, always',
    },
  ];
  test.for(rows)('$line', ({ line, problem }) => {
    expect(problemOf(line)).toBe(problem);
  });
});
