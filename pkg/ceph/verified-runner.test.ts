import { expect, test } from 'vitest';
import { fakeRunner } from '#test/fakes/ceph-runner.ts';
import { verifiedRunner } from './verified-runner.ts';

const { signal } = new AbortController();
const LIST = { program: 'rbd', args: ['ls'], timeoutMs: 1000 } as const;

test('the right cluster is asked for its identity once', async () => {
  const inner = fakeRunner({ 'ceph fsid': { code: 0, stdout: 'abc\n', stderr: '' }, 'rbd ls': { json: [] } });
  const runner = verifiedRunner(inner, 'abc');
  await runner.run(LIST, signal);
  await runner.run(LIST, signal);
  expect(inner.asked).toEqual(['ceph fsid', 'rbd ls', 'rbd ls']);
});

test('another cluster is not asked about what it holds', async () => {
  const inner = fakeRunner({
    'ceph fsid': { code: 0, stdout: 'other\n', stderr: '' },
    'rbd ls': { json: [] },
  });
  const runner = verifiedRunner(inner, 'abc');
  await expect(runner.run(LIST, signal)).rejects.toThrow('this is the Ceph cluster other, and not abc');
  await expect(runner.run(LIST, signal)).rejects.toThrow('other');
  expect(inner.asked).toEqual(['ceph fsid', 'ceph fsid']);
});

test('silence is not remembered', async () => {
  const runner = verifiedRunner(fakeRunner({ 'ceph fsid': 'silence' }), 'abc');
  await expect(runner.run(LIST, signal)).rejects.toThrow('had no answer');
});
