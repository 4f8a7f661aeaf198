import { mkdtempSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '#test/fakes/program.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rook-deps-completion-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('completion install', () => {
  test('puts the program that kubectl calls beside the plugin', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'kubectl-rook_deps'), '');
    const env = { PATH: `/nosuch:${bin}` };
    const file = join(bin, 'kubectl_complete-rook_deps');
    expect(await run('completion install', { env })).toEqual({ code: 0, out: `${file} created\n`, err: '' });
    expect(readFileSync(file, 'utf8')).toMatch(/^#!\/bin\/sh\nexec kubectl-rook_deps __complete "\$@"/);
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect((await run('completion install', { env })).out).toBe(`${file} unchanged\n`);
  });

  test('replaces one of an earlier version', async () => {
    writeFileSync(join(folder, 'kubectl_complete-rook_deps'), '#!/bin/sh\nkubectl rook-deps __complete\n');
    const { out } = await run(['completion', 'install', '--dir', folder], { env: { PATH: folder } });
    expect(out).toMatch(/ configured\n$/);
  });

  test('leaves a file of others alone', async () => {
    const file = join(folder, 'kubectl_complete-rook_deps');
    writeFileSync(file, 'mine');
    const { code, err } = await run(['completion', 'install', '--dir', folder]);
    expect({ code, err }).toEqual({
      code: 1,
      err: `error: "${file}" exists and is not a completion of this plugin: remove it first\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('says when kubectl will not find it', async () => {
    const { code, err } = await run(['completion', 'install', '--dir', folder], { env: { PATH: '/bin' } });
    expect({ code, err }).toEqual({ code: 0, err: `Add ${folder} to PATH, so that kubectl finds it.\n` });
  });

  test('writes a command file on Windows', async () => {
    const { out } = await run(['completion', 'install', '--dir', folder], { platform: 'win32' });
    expect(out).toContain('kubectl_complete-rook_deps.cmd created');
  });

  test('refuses where there is nothing to put it beside', async () => {
    expect(await run('completion install', { env: { PATH: folder } })).toMatchObject({ code: 1, out: '' });
    expect(await run('completion install --dir /nosuch')).toEqual({
      code: 1,
      out: '',
      err: 'error: there is no folder "/nosuch"\n',
    });
  });
});

describe('completion SHELL', () => {
  test.for(['bash', 'zsh', 'fish', 'powershell'])('prints a script for %s', async (shell) => {
    const { code, out } = await run(`completion ${shell}`);
    expect(code).toBe(0);
    expect(out).toContain('kubectl-rook_deps __complete');
  });

  test.for([
    { line: 'completion', problem: 'You must specify one of: install, bash, zsh, fish, powershell' },
    { line: 'completion tcsh', problem: 'unknown shell "tcsh"' },
    { line: 'completion constructor', problem: 'unknown shell "constructor"' },
    { line: 'completion bash zsh', problem: 'unexpected argument "zsh"' },
    { line: 'completion bash --dir x', problem: '--dir is for "completion install" alone' },
  ])('"$line" is refused', async ({ line, problem }) => {
    const { code, out, err } = await run(line);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(problem);
  });
});
