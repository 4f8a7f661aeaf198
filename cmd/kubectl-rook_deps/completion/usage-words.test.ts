import { expect, test } from 'vitest';
import { operandsIn, placeholderOf } from './usage-words.ts';

test.for([
  {
    usage: 'why (TYPE NAME... | TYPE/NAME... | TYPE) [flags] [options]',
    literals: [],
    placeholder: 'resources',
  },
  {
    usage: 'protect (TYPE NAME | TYPE/NAME) [flags]\n  kubectl rook-deps protect operator',
    literals: [],
    placeholder: 'resources',
  },
  { usage: 'explain [CODE...]', literals: [], placeholder: 'codes' },
  { usage: 'graph [-n NAMESPACE | -A] [-o dot|json] [flags]', literals: [], placeholder: undefined },
  {
    usage: 'maintenance (plan | start) NODE... [--force]',
    literals: ['plan', 'start'],
    placeholder: 'nodes',
  },
  {
    usage: 'completion (install [--dir FOLDER] | bash)',
    literals: ['install', 'bash'],
    placeholder: undefined,
  },
])('$usage takes $literals, then $placeholder', ({ usage, literals, placeholder }) => {
  expect(operandsIn(usage)).toEqual({ literals, placeholder });
});

test('the value of a flag is what the usage calls it', () => {
  const usage = 'protect (TYPE NAME) [--by TYPE/NAME] [--grant RESOURCE,...] [--dir=FOLDER] [--replay]';
  expect(['by', 'grant', 'dir', 'replay'].map((flag) => placeholderOf(flag, usage))).toEqual([
    'resources',
    'types',
    'folders',
    undefined,
  ]);
});
