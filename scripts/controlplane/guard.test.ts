import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test, vi } from 'vitest';

const GUARD = join(import.meta.dirname, 'guard.ts');

/** A process that guards a long sleep, prints its process id, and ends as told. */
const owner = (ending: string): string => `
  import { spawn } from 'node:child_process';
  import { guard } from ${JSON.stringify(GUARD)};
  const sleep = spawn('sleep', ['600'], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] });
  const { watch, release } = guard(process.argv[1]);
  watch(sleep.pid);
  sleep.unref();
  console.log(sleep.pid);
  ${ending}
`;

interface Ended {
  readonly folder: string;
  readonly pid: number;
  /** Resolves when the sleep too is gone: it shares the owner's output. (A zombie would still have its id.) */
  readonly silence: Promise<unknown>;
}

async function endedOwner(ending: string): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'guard-test-'));
  const args = ['--input-type=module-typescript', '--eval', owner(ending), folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = createInterface(child.stdout);
  const silence = once(lines, 'close');
  const [line] = await Promise.all([once(lines, 'line'), once(child, 'exit')]);
  return { folder, pid: Number(line[0]), silence };
}

const gone = (folder: string): Promise<void> =>
  vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 5_000, interval: 10 });

test.for([
  { name: 'is killed', ending: `process.kill(process.pid, 'SIGKILL');` },
  { name: 'ends without a word', ending: '' },
])('the guarded process and its folder go when their owner $name', async ({ ending }) => {
  const { folder, silence } = await endedOwner(ending);
  await silence;
  await gone(folder);
});

test('a released guard kills nobody, but removes the folder', async () => {
  const { folder, pid, silence } = await endedOwner('release();');
  await gone(folder);
  expect(process.kill(pid, 'SIGKILL')).toBe(true);
  await silence;
});
