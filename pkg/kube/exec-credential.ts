import { spawn } from 'node:child_process';
import { fieldAt, isRecord, textAt } from '#pkg/object';
import type { ExecPlugin } from './connection.ts';
import { errorCode, fileFailure } from './file-failure.ts';
import type { Environment } from './kubeconfig-merge.ts';

/** What a credential plugin handed out. */
export interface ExecCredential {
  readonly token: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** Milliseconds since 1970; undefined lasts for the whole run. */
  readonly expiresAtMs: number | undefined;
}

/** Runs a credential plugin. It may talk to the user: stderr, and stdin if that is a terminal, are passed on. */
export async function runExecPlugin(
  plugin: ExecPlugin,
  env: Environment,
  signal: AbortSignal,
): Promise<ExecCredential> {
  const interactive = plugin.interactiveMode !== 'Never' && process.stdin.isTTY === true;
  if (plugin.interactiveMode === 'Always' && !interactive) {
    throw new Error('exec plugin cannot support interactive mode: standard input is not a terminal');
  }
  const info = {
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.cluster && { cluster: plugin.cluster }), interactive },
  };
  const output = await run(
    plugin,
    { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    interactive,
    signal,
  );
  return credentialOf(output, plugin.apiVersion);
}

function run(
  plugin: ExecPlugin,
  env: Environment,
  interactive: boolean,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const stdio = [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'] as const;
    const child = spawn(plugin.command, plugin.args, { env: { ...env }, stdio: [...stdio], signal });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', (error) => reject(signal.aborted ? error : startFailure(plugin, error)));
    child.once('close', (code, killedBy) => {
      if (code === 0) resolve(output);
      else if (code === null) reject(new Error(`exec: signal: ${killedBy}`));
      else reject(new Error(`exec: executable ${plugin.command} failed with exit code ${code}`));
    });
  });
}

function startFailure({ command, installHint }: ExecPlugin, error: Error): Error {
  if (errorCode(error) !== 'ENOENT') return new Error(`exec: ${fileFailure(error, command, 'fork/exec')}`);
  const hint = installHint ? ` (${installHint.trim().replaceAll(/\s*\n\s*/g, ' ')})` : '';
  return new Error(`exec: executable ${command} not found${hint}`);
}

function credentialOf(output: string, apiVersion: string): ExecCredential {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch (error) {
    throw new Error("decoding stdout: couldn't get version/kind; json parse error", { cause: error });
  }
  const returned = textAt(value, 'apiVersion') ?? 'client.authentication.k8s.io/__internal';
  if (returned !== apiVersion) {
    throw new Error(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${returned}`,
    );
  }
  const status = fieldAt(value, 'status');
  if (!isRecord(status)) throw new Error("exec plugin didn't return a status field");
  const token = textAt(status, 'token');
  const certificate = textAt(status, 'clientCertificateData');
  const key = textAt(status, 'clientKeyData');
  if (!token && !certificate && !key) throw new Error("exec plugin didn't return a token or cert/key pair");
  if (!certificate !== !key) throw new Error('exec plugin returned only certificate or key, not both');
  const expires = Date.parse(textAt(status, 'expirationTimestamp') ?? '');
  return { token, certificate, key, expiresAtMs: Number.isNaN(expires) ? undefined : expires };
}
