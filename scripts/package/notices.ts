import type { BundledPackage } from './bundled-packages.ts';

const RULE = '='.repeat(78);

/** The licences of all that an executable holds besides our own work, as their terms demand. */
export function notices(
  packages: readonly BundledPackage[],
  node: { readonly version: string; readonly license: string },
): string {
  const parts = [
    'kubectl rook-deps contains the following software, each under its own terms.\n',
    ...packages.map(({ name, version, license, licenseText }) =>
      part(`${name} ${version} (${license})`, licenseText),
    ),
    part(`Node.js ${node.version}`, node.license),
  ];
  return parts.join('\n');
}

function part(title: string, text: string): string {
  return `${RULE}\n${title}\n${RULE}\n\n${text.replaceAll('\r\n', '\n').trim()}\n`;
}
