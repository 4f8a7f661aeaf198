import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Reads process ids until its input ends, then kills them and removes the folder. The input ends when the process
 * that holds the other end of the pipe is gone, however it went.
 */
const SCRIPT = `
pids=
while read -r word; do
  if [ "$word" = forget ]; then pids=; else pids="$pids $word"; fi
done
[ -n "$pids" ] && kill -9 $pids 2>/dev/null
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  rm -rf "$1" 2>/dev/null && break
  sleep 0.2
done
`;

/** Sees to it that processes and their folder do not outlive us, even if we are killed with SIGKILL. */
export interface Guard {
  watch(pid: number): void;
  /** The watched processes are gone already: their ids may belong to others soon. */
  release(): void;
}

/** In a session of its own, so that what kills our process group or closes our terminal spares the guard. */
export function guard(folder: string): Guard {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'guard', folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  child.stdin.on('error', () => undefined);
  // A pipe is a socket in Node, which the types do not say.
  if (child.stdin instanceof Socket) child.stdin.unref();
  return {
    watch: (pid) => void child.stdin.write(`${pid}\n`),
    release: () => void child.stdin.end('forget\n'),
  };
}
