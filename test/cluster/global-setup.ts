import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import {
  installCrds,
  startControlPlane,
  Unavailable,
  type ControlPlane,
} from '../../scripts/controlplane/index.ts';

/** What the tests of the `cluster` project get to know about the control plane they share. */
export interface SharedControlPlane {
  readonly kubeconfig: string;
  readonly server: string;
  readonly adminToken: string;
  /** PEM. */
  readonly ca: string;
  /** Path of the program. */
  readonly kubectl: string;
  readonly auditLog: string;
  /** Path of the built plugin; `npm run build` makes it. */
  readonly executable: string;
  /** A home folder for the programs under test, so that nobody's own settings or caches play a part. */
  readonly home: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** A string says why there is none. */
    readonly controlPlane: SharedControlPlane | string;
  }
}

const EXECUTABLE = join(import.meta.dirname, '../../dist/kubectl-rook_deps');

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Starts the one control plane of a test run, or says why the tests that need it are skipped. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    return await share(project);
  } catch (error) {
    if (!(error instanceof Unavailable) || process.env['CI'] === 'true') throw error;
    say(`cluster tests are skipped: ${error.message}`);
    project.provide('controlPlane', error.message);
    return async () => undefined;
  }
}

async function share(project: TestProject): Promise<() => Promise<void>> {
  // No controller manager: what a test writes stays as it is. Tests of its deeds start a control plane of their own.
  const plane = await startControlPlane({ controllerManager: false, audit: true });
  try {
    await installCrds(plane, say);
    const home = join(plane.folder, 'home');
    await mkdir(home);
    project.provide('controlPlane', shared(plane, home));
    return () => plane.stop();
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

function shared(plane: ControlPlane, home: string): SharedControlPlane {
  const { kubeconfig, server, adminToken, ca, auditLog, binaries } = plane;
  return {
    kubeconfig,
    server,
    adminToken,
    ca,
    auditLog,
    kubectl: binaries.kubectl,
    executable: EXECUTABLE,
    home,
  };
}
