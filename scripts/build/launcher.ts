import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes a script that runs the bundle with `node`: for platforms where no single executable is made. */
export async function writeLauncher(outDir: string, node: string, bundleFile: string): Promise<string> {
  if (process.platform === 'win32') {
    const file = join(outDir, 'kubectl-rook_deps.cmd');
    await writeFile(file, `@"${node}" "${bundleFile}" %*\r\n`);
    return file;
  }
  const file = join(outDir, 'kubectl-rook_deps');
  await writeFile(file, `#!/bin/sh\nexec ${quoted(node)} ${quoted(bundleFile)} "$@"\n`);
  await chmod(file, 0o755);
  return file;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
