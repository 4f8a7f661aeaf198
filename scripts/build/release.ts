import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What this build calls itself. */
export interface Release {
  readonly version: string;
  /** Empty where there is no git, as in a source archive. */
  readonly commit: string;
}

export async function releaseOf(root: string): Promise<Release> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const git = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return { version, commit: git.status === 0 ? git.stdout.trim() : '' };
}
