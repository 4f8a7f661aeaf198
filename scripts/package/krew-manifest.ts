import { executableName, PLATFORMS, type Platform } from '../build/platforms.ts';

/** The file name of a platform's archive in a release; `version` starts with a v. */
export function archiveName({ os, arch }: Platform, version: string): string {
  return `kubectl-rook-deps_${version}_${os}_${arch}.tar.gz`;
}

/** The manifest of a release: what Krew installs, and the hashes it must have. */
export function krewManifest(
  version: string,
  homepage: string,
  checksums: ReadonlyMap<Platform, string>,
): string {
  return manifest(version, homepage, (platform) => {
    const sha256 = checksums.get(platform);
    if (!sha256) throw new Error(`cannot find the checksum of ${platform.os}/${platform.arch}`);
    // In quotes: of sixty-four digits YAML would make a number.
    return [`uri: ${downloadOf(platform, version, homepage)}`, `sha256: "${sha256}"`];
  });
}

/** The same as a template, in which krew-release-bot fills in the version and the hashes of a release. */
export function krewTemplate(homepage: string): string {
  const tag = '{{ .TagName }}';
  return manifest(tag, homepage, (platform) => [
    `{{addURIAndSha "${downloadOf(platform, tag, homepage)}" .TagName }}`,
  ]);
}

function downloadOf(platform: Platform, version: string, homepage: string): string {
  return `${homepage}/releases/download/${version}/${archiveName(platform, version)}`;
}

function manifest(
  version: string,
  homepage: string,
  source: (platform: Platform) => readonly string[],
): string {
  return `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: rook-deps
spec:
  version: ${version}
  homepage: ${homepage}
  shortDescription: Explain and protect Rook-Ceph dependencies
  description: |
    Says what depends on a Rook-Ceph resource, whether it may be deleted, what
    could not be checked, and what to do next: on a live cluster, or on saved
    manifests with no cluster at all. Installed into a cluster, it also refuses
    to delete what is still in use.
  caveats: |
    Completion in the shell takes one more step:
      kubectl rook-deps completion install
  platforms:
${PLATFORMS.map((platform) => platformEntry(platform, source(platform))).join('\n')}
`;
}

function platformEntry(platform: Platform, source: readonly string[]): string {
  const { os, arch } = platform;
  const lines = [...source, `bin: ${executableName(platform)}`];
  return [
    '    - selector:',
    '        matchLabels:',
    `          os: ${os}`,
    `          arch: ${arch}`,
    ...lines.map((line) => `      ${line}`),
  ].join('\n');
}
