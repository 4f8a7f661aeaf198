import type { Release } from '../build/release.ts';
import type { Pin } from '../build/runtimes.ts';
import type { BundledPackage } from './bundled-packages.ts';

/** A Node that is in one of the archives, with the libraries that are in it. */
export interface ShippedRuntime {
  readonly pin: Pin;
  /** Where it runs, such as `linux/amd64`. */
  readonly platform: string;
  /** As in `process.versions`. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The bill of materials as CycloneDX JSON. Without time and serial number: the same release, the same document. */
export function sbom(
  release: Release,
  packages: readonly BundledPackage[],
  runtimes: readonly ShippedRuntime[],
): object {
  const root = `pkg:generic/kubectl-rook-deps@${release.version}`;
  const components = [...packages.map(packageComponent), ...runtimes.map(runtimeComponent)];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name: 'kubectl-rook-deps',
        version: release.version,
        purl: root,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        ...(release.commit ? { properties: [{ name: 'git:commit', value: release.commit }] } : {}),
      },
    },
    components,
    dependencies: [{ ref: root, dependsOn: components.map((component) => component['bom-ref']) }],
  };
}

function packageComponent({ name, version, license, integrity }: BundledPackage) {
  const purl = npmPurl(name, version);
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    licenses: [{ expression: license }],
    hashes: [hashOf(integrity)],
  };
}

function runtimeComponent({ pin, platform, versions }: ShippedRuntime) {
  const purl = npmPurl(pin.package, pin.version);
  return {
    type: 'platform',
    'bom-ref': purl,
    name: pin.package,
    version: pin.version,
    description: `Node.js, the runtime in the executable for ${platform}`,
    purl,
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [hashOf(pin.integrity)],
    components: Object.entries(versions)
      .filter(([name]) => name !== 'modules' && name !== 'napi')
      .map(([name, version]) => ({
        type: 'library',
        'bom-ref': `${purl}#${name}`,
        name,
        version,
        purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
      })),
  };
}

function npmPurl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** npm writes hashes in base64, CycloneDX in hexadecimal. */
function hashOf(integrity: string): { readonly alg: string; readonly content: string } {
  const [alg, base64 = ''] = integrity.split('-');
  if (alg !== 'sha512') throw new Error(`cannot write a hash of the kind ${alg}`);
  return { alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') };
}
