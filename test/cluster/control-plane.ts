import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { describe, inject } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { run, type Finished } from '../../scripts/controlplane/index.ts';
import { applyTo } from './apply.ts';
import type { SharedControlPlane } from './global-setup.ts';

/** Long enough for the slowest command on a busy machine; a program that hangs is killed. */
const LIMIT_MS = 50_000;

/** The control plane all tests share. Throws where there is none: see describeOnCluster. */
export function controlPlane(): SharedControlPlane {
  const plane = inject('controlPlane');
  if (typeof plane === 'string') throw new Error(`there is no control plane: ${plane}`);
  return plane;
}

/** `describe` for tests that need the control plane: skipped, with the reason, where it cannot be had. */
export function describeOnCluster(name: string, tests: () => void): void {
  const plane = inject('controlPlane');
  if (typeof plane === 'string') describe.skip(`${name} (skipped: ${plane})`, tests);
  else describe(name, tests);
}

export interface RunPluginOptions {
  /** Added to a minimal environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Path of a kubeconfig file, instead of the administrator's. */
  readonly kubeconfig?: string;
}

/** Runs the kubectl that was built with this API server; with `kubectl rook-deps …` it finds the built plugin. */
export async function kubectl(args: readonly string[], options: RunPluginOptions = {}): Promise<Finished> {
  return runProgram(controlPlane().kubectl, args, options);
}

/** Runs the built plugin, as a user would. */
export async function runPlugin(args: readonly string[], options: RunPluginOptions = {}): Promise<Finished> {
  const { executable } = controlPlane();
  if (!existsSync(executable)) throw new Error(`there is no ${executable}: run "npm run build" first`);
  return runProgram(executable, args, options);
}

async function runProgram(
  file: string,
  args: readonly string[],
  options: RunPluginOptions,
): Promise<Finished> {
  const { executable, home, kubeconfig, kubectl } = controlPlane();
  const env = {
    PATH: [dirname(executable), dirname(kubectl), process.env['PATH']].join(delimiter),
    HOME: home,
    KUBECONFIG: options.kubeconfig ?? kubeconfig,
    ...options.env,
  };
  return run(file, args, { env, stdin: options.stdin ?? '' }, AbortSignal.timeout(LIMIT_MS));
}

/**
 * Writes objects as they are given, status included, one after another, and returns them as stored (with UIDs).
 * A field that the API server does not know is an error. Applying again changes what differs.
 */
export function apply(objects: readonly object[]): Promise<KubeObject[]> {
  return applyTo(controlPlane(), objects, AbortSignal.timeout(LIMIT_MS));
}

/** Creates a namespace that no other test has, and returns its name. */
export async function freshNamespace(prefix: string): Promise<string> {
  const name = `${prefix}-${randomBytes(4).toString('hex')}`;
  await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }]);
  return name;
}
