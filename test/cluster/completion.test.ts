import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Command } from '../../cmd/kubectl-rook_deps/command.ts';
import { complete } from '../../cmd/kubectl-rook_deps/completion/complete.ts';
import { run } from '../../scripts/controlplane/index.ts';
import { fakeIo } from '../fakes/io.ts';
import {
  apply,
  controlPlane,
  describeOnCluster,
  freshNamespace,
  kubectl,
  runPlugin,
} from './control-plane.ts';
import { testUnder } from '../package/tools.ts';
import { everyRookKind } from './every-kind.ts';

/** Two seconds in all, less what kubectl and the plugin take to start. */
const WAIT_MS = 1_700;

describeOnCluster('completion through the real kubectl', () => {
  let ns = '';
  let bin = '';
  beforeAll(async () => {
    ns = await freshNamespace('complete');
    await apply(everyRookKind(ns));
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: `${ns}-node` } };
    await apply([{ ...node, status: { conditions: [{ type: 'Ready', status: 'True' }] } }]);
    bin = join(controlPlane().home, 'bin');
    await mkdir(bin, { recursive: true });
    await runPlugin(['completion', 'install', '--dir', bin]);
  });

  const pathWith = (): string => {
    const { executable, kubectl: program } = controlPlane();
    return [bin, dirname(executable), dirname(program), '/usr/bin', '/bin'].join(delimiter);
  };

  async function offered(...line: string[]): Promise<string[]> {
    const { code, stdout, stderr } = await kubectl(['__complete', 'rook-deps', ...line], {
      env: { PATH: pathWith() },
    });
    expect(code).toBe(0);
    // Cobra says there what it does; the plugin itself says nothing.
    const lines = stderr.trimEnd().split('\n');
    expect(lines.filter((text) => !/^(\[Debug\]|Completion ended with directive:) /.test(text))).toEqual([]);
    return stdout.trimEnd().split('\n');
  }

  /** How much longer a completion that gets no answer takes than one that needs none, however busy the machine is. */
  async function waitFor(line: string[]): Promise<number> {
    const started = performance.now();
    await offered('wh');
    const between = performance.now();
    expect(await offered(...line)).toEqual([':4']);
    return performance.now() - between - (between - started);
  }

  test('offers commands and flags', async () => {
    expect(await offered('wh')).toEqual([
      'why\tMay this resource go? What holds it, and what to do next',
      ':4',
    ]);
    expect(await offered('why', '--exit')).toEqual([expect.stringMatching(/^--exit-code\t/), ':4']);
  });

  test('offers names with their phase, in the namespace that was asked for', async () => {
    const [pool, directive, ...rest] = await offered('why', '-n', ns, 'cephblockpool', '');
    expect(pool).toMatch(/^cephblockpool(\t\w+)?$/);
    expect({ directive, rest }).toEqual({ directive: ':4', rest: [] });
    expect(await offered('why', '-n', ns, 'cephbp/')).toEqual([
      expect.stringMatching(/^cephbp\/cephblockpool/),
      ':4',
    ]);
  });

  test('offers the phase that the server tells', async () => {
    await apply([
      {
        apiVersion: 'ceph.rook.io/v1',
        kind: 'CephFilesystemSubVolumeGroup',
        metadata: { name: 'phased', namespace: ns },
        spec: { filesystemName: 'x' },
        status: { phase: 'Progressing' },
      },
    ]);
    expect(await offered('tree', 'cephfssvg', '-n', ns, 'ph')).toEqual(['phased\tProgressing', ':4']);
  });

  test('offers namespaces, contexts and formats', async () => {
    expect(await offered('why', '-n', ns)).toEqual([`${ns}\tActive`, ':4']);
    expect(await offered('why', '--context', '')).toEqual([expect.stringMatching(/\tcurrent$/), ':4']);
    expect(await offered('why', '-o', 'j')).toEqual(['json', ':4']);
  });

  test('offers nodes to a command that takes them, by its usage alone', async () => {
    const made: Command = {
      name: 'made-up',
      summary: '',
      description: '',
      usage: 'made-up (plan | start) NODE... [flags]',
      examples: [],
      flags: {},
      run: () => Promise.resolve(0),
    };
    const commands = [{ name: 'made-up', summary: '', load: () => Promise.resolve(made) }];
    const io = fakeIo({ env: { KUBECONFIG: controlPlane().kubeconfig } });
    const { signal } = new AbortController();
    await complete(['made-up', ''], commands, io, signal);
    await complete(['made-up', 'plan', ns], commands, io, signal);
    expect(io.out()).toBe(`plan\nstart\n:4\n${ns}-node\tReady\n:4\n`);
  });

  test('is silent and quick when the server does not answer', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const line = ['why', '--server', `https://127.0.0.1:${port}`, 'cephbp', ''];
    expect(await waitFor(line)).toBeLessThan(WAIT_MS);
    server.close();
  });

  test('is silent and quick when a program that gives credentials hangs', async () => {
    const hangs = { command: 'sh', args: ['-c', 'echo noise >&2; sleep 10'] };
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'IfAvailable', ...hangs };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
      clusters: [{ name: 'x', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'x', user: { exec } }],
    };
    const file = join(controlPlane().home, 'hanging-kubeconfig');
    await writeFile(file, JSON.stringify(config));
    expect(await waitFor(['why', '--kubeconfig', file, 'cephbp', ''])).toBeLessThan(WAIT_MS);
  });

  describe('in a shell', () => {
    const shells = [
      {
        shell: 'bash',
        script: (line: string) => `source <(kubectl-rook_deps completion bash)
          COMP_LINE='${line}'; COMP_WORDS=(); read -ra COMP_WORDS <<<"\${COMP_LINE//=/ = }"
          COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
          compopt() { :; }
          _kubectl_rook_deps; printf '%s\\n' "\${COMPREPLY[@]}"`,
      },
      {
        shell: 'fish',
        script: (line: string) =>
          `kubectl-rook_deps completion fish | source; complete -C '${line}' | string replace -r '\\t.*' ''`,
      },
      {
        shell: 'zsh',
        // The widgets of completion need an editor; what they are given does not.
        script: (line: string) => `compdef() { : }; source <(kubectl-rook_deps completion zsh)
          _describe() { print -l -- "\${candidates[@]%%:*}" }; compset() { print -n -- "\${words[CURRENT]%%=*}=" }
          words=(${line}); CURRENT=\${#words}; _kubectl_rook_deps`,
      },
    ];
    const completesIn = async (shell: string, script: (line: string) => string): Promise<void> => {
      const env = { PATH: pathWith(), HOME: controlPlane().home, TERM: 'dumb' };
      const ask = async (line: string): Promise<string> => {
        const { stdout } = await run(shell, ['-c', script(line)], { env }, AbortSignal.timeout(20_000));
        return stdout.trim();
      };
      expect(await ask('kubectl-rook_deps expl')).toBe('explain');
      const value = await ask('kubectl-rook_deps why --output=ya');
      expect(['yaml', '--output=yaml']).toContain(value);
    };

    for (const { shell, script } of shells)
      testUnder([shell], `${shell} offers what the program offers`, () => completesIn(shell, script));
  });
});
