import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { localRunner } from './local-runner.ts';
import { CephSilent, type CephRunner } from './runner.ts';

const folder = mkdtempSync(join(tmpdir(), 'rook-deps-ceph-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A runner whose `ceph` is this shell script. */
function withProgram(script: string): CephRunner {
  const bin = mkdtempSync(join(folder, 'bin-'));
  writeFileSync(join(bin, 'ceph'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'ceph'), 0o755);
  return localRunner({ conf: '/etc/x.conf', env: { PATH: `${bin}:/usr/bin:/bin` } });
}

const { signal } = new AbortController();
const STATUS = { program: 'ceph', args: ['status'], timeoutMs: 5000 } as const;

test('the program gets the configuration, a time limit for connecting, and the arguments', async () => {
  const { stdout } = await withProgram('echo "$@"').run(STATUS, signal);
  expect(stdout).toBe('--conf /etc/x.conf --connect-timeout 5 status\n');
});

test('a failure of the program is an outcome', async () => {
  const finished = await withProgram('echo no >&2; exit 22').run(STATUS, signal);
  expect(finished).toEqual({ code: 22, stdout: '', stderr: 'no\n' });
});

test('a program that hangs is ended, and is silence', async () => {
  const started = performance.now();
  const run = withProgram('exec sleep 60').run({ ...STATUS, timeoutMs: 200 }, signal);
  await expect(run).rejects.toThrow(CephSilent);
  await expect(run).rejects.toThrow('"ceph status" had no answer within 0.2 s');
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('an abort is not mistaken for silence', async () => {
  const stop = new AbortController();
  const run = withProgram('exec sleep 60').run(STATUS, stop.signal);
  stop.abort(new Error('stop'));
  await expect(run).rejects.toThrow('stop');
});

test('a machine without the program is silence that says so', async () => {
  const runner = localRunner({ conf: '/etc/x.conf', env: { PATH: folder } });
  await expect(runner.run(STATUS, signal)).rejects.toThrow('there is no program "ceph" on this machine');
});

test.for([
  `[errno 110] RADOS timed out (error connecting to the cluster)`,
  `Error initializing cluster client: ObjectNotFound('RADOS object not found (error calling conf_read_file)')`,
  `rbd: couldn't connect to the cluster!`,
  'global_init: unable to open config file from search list /nonexistent',
])('not having reached the cluster is silence, and no refusal: %s', async (words) => {
  const runner = withProgram(`echo "${words}" >&2; exit 1`);
  await expect(runner.run(STATUS, signal)).rejects.toThrow(CephSilent);
});
