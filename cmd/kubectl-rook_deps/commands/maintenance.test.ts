import { expect, test } from 'vitest';
import { run } from '#test/fakes/program.ts';

test.for([
  { line: 'maintenance', err: 'error: must specify one of: start, stop, status\n' },
  { line: 'maintenance begin node-a', err: 'unknown command "begin" for "kubectl rook-deps maintenance"' },
  { line: 'maintenance strat node-a', err: 'Did you mean this?\n\tstart' },
  { line: 'maintenance start', err: 'error: you must specify the name of a node\n' },
  { line: 'maintenance start a b', err: 'several nodes need --rolling' },
  { line: 'maintenance start -l role=storage', err: 'several nodes need --rolling' },
  { line: 'maintenance start a -l role=storage --rolling', err: 'name cannot be provided when a selector' },
  {
    line: 'maintenance start --rolling',
    err: 'error: you must specify the name of a node, or a selector with -l\n',
  },
  {
    line: ['maintenance', 'start', '--rolling', '-l', ' '],
    err: 'the selector is empty, and would mean every',
  },
  {
    line: 'maintenance start --rolling --selector=',
    err: 'the selector is empty, and would mean every node',
  },
  {
    line: ['maintenance', 'start', '--rolling', '-l', 'a=b,,c'],
    err: 'error: unable to parse requirement: invalid label selector "a=b,,c"\n',
  },
  {
    line: ['maintenance', 'start', '--rolling', '-l', '\u001b[2Ja in (b'],
    err: 'unable to parse requirement: invalid label selector "\\u001b[2Ja in (b"\n',
  },
  { line: 'maintenance status --rolling', err: 'error: --rolling and --selector are for start\n' },
  { line: 'maintenance stop a b', err: 'error: one node at a time\n' },
  { line: 'maintenance stop --rolling a', err: 'are for start' },
  { line: 'maintenance start a --duration soon', err: 'invalid argument "soon" for "--duration" flag' },
  { line: 'maintenance start a --duration 0s', err: 'invalid argument "0s" for "--duration" flag' },
  { line: 'maintenance start a --timeout never', err: 'invalid argument "never" for "--timeout" flag' },
  { line: 'maintenance start a --dry-run=perhaps', err: 'Invalid dry-run value (perhaps)' },
  { line: 'maintenance status --dry-run', err: 'error: --dry-run is for start and stop' },
  { line: 'maintenance status -o name', err: 'unable to match a printer' },
])('$line is refused before any server is asked', async ({ line, err }) => {
  const outcome = await run(line, { env: { KUBECONFIG: '/nowhere' } });
  expect(outcome).toMatchObject({ code: 1, out: '' });
  expect(outcome.err).toContain(err);
});
