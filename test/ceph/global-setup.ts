import type { TestProject } from 'vitest/node';
import { ensureCeph } from '../../scripts/ceph/index.ts';
import { ensureBinaries, Unavailable } from '../../scripts/controlplane/index.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Why there is no Ceph here, or nothing when there is. */
    readonly cephMissing: string;
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Installs Ceph where that is possible, or says why the tests that need it are skipped. Each file starts its own. */
export default async function setup(project: TestProject): Promise<void> {
  const { signal } = new AbortController();
  try {
    await ensureCeph(say, signal);
    await ensureBinaries(say, signal);
    project.provide('cephMissing', '');
  } catch (error) {
    if (!(error instanceof Unavailable) || process.env['CI'] === 'true') throw error;
    say(`Ceph tests are skipped: ${error.message}`);
    project.provide('cephMissing', error.message);
  }
}
