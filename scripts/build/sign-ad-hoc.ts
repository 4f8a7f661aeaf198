import { goTool, output, type GoTool } from '../controlplane/index.ts';

const QUILL: GoTool = {
  name: 'quill',
  path: 'github.com/anchore/quill',
  version: 'v0.5.1',
  sum: 'h1:+TAJroWuMC0AofI4gD9V9v65zR8EfKZg8u+ZD+dKZS4=',
};

const IDENTITY = 'kubectl-rook_deps';

/**
 * Gives a macOS executable a signature without an identity, in place. Macs with ARM processors kill programs that
 * have none, and putting the bundle in has made the one of Node untrue.
 */
export async function signAdHoc(
  file: string,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  if (process.platform === 'darwin') {
    await output('codesign', ['--force', '--sign', '-', '--identifier', IDENTITY, file], {}, signal);
    return;
  }
  const quill = await goTool(QUILL, report, signal);
  await output(quill, ['sign', '--quiet', '--ad-hoc', '--identity', IDENTITY, file], {}, signal);
}
