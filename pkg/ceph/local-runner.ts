import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { reached } from './connection-trouble.ts';
import { CephSilent, withinLimit, type CephCommand, type CephRunner, type Finished } from './runner.ts';

export interface LocalOptions {
  /** The configuration file of the cluster. */
  readonly conf: string;
  /** As what to connect; client.admin by default. */
  readonly name?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs the programs of this machine. */
export function localRunner(options: LocalOptions): CephRunner {
  return {
    run: (command, signal) =>
      withinLimit(command, signal, async (limit) =>
        reached(command, await spawned(command, withConnection(command, options), options, limit)),
      ),
  };
}

function withConnection(
  { program, args, timeoutMs }: CephCommand,
  { conf, name }: LocalOptions,
): readonly string[] {
  const seconds = Math.max(1, Math.floor(timeoutMs / 1000));
  return [
    '--conf',
    conf,
    ...(name ? ['--name', name] : []),
    ...(program === 'ceph' ? ['--connect-timeout', String(seconds)] : []),
    ...args,
  ];
}

async function spawned(
  { program }: CephCommand,
  args: readonly string[],
  { env }: LocalOptions,
  signal: AbortSignal,
): Promise<Finished> {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const child = spawn(program, args, { env, signal, killSignal: 'SIGKILL', stdio });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(isMissing(error) ? notInstalled(program, error) : error));
    child.once('close', (code) => resolve(code ?? -1));
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

function isMissing(error: Error): boolean {
  return 'code' in error && error.code === 'ENOENT';
}

function notInstalled(program: string, cause: Error): CephSilent {
  return new CephSilent(`there is no program "${program}" on this machine`, cause);
}
