import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { PLATFORMS } from '../build/platforms.ts';
import { krewManifest, krewTemplate } from './krew-manifest.ts';

const ROOT = join(import.meta.dirname, '../..');
const HOMEPAGE = 'https://example.com/x';

test('the manifest has every platform with its own checksum', () => {
  const checksums = new Map(PLATFORMS.map((platform, at) => [platform, String(at).repeat(64)]));
  const { spec } = parse(krewManifest('v1.2.3', HOMEPAGE, checksums)) as {
    spec: { version: string; platforms: { uri: string; sha256: string; bin: string }[] };
  };
  expect(spec.version).toBe('v1.2.3');
  expect(spec.platforms).toHaveLength(6);
  expect(spec.platforms[5]).toEqual({
    selector: { matchLabels: { os: 'windows', arch: 'arm64' } },
    uri: `${HOMEPAGE}/releases/download/v1.2.3/kubectl-rook-deps_v1.2.3_windows_arm64.tar.gz`,
    sha256: '5'.repeat(64),
    bin: 'kubectl-rook_deps.exe',
  });
});

test('a manifest without all checksums is not written', () => {
  expect(() => krewManifest('v1.2.3', HOMEPAGE, new Map())).toThrow('checksum of linux/amd64');
});

test('the template of releases is up to date', async () => {
  const { homepage } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { homepage: string };
  expect(await readFile(join(ROOT, '.krew.yaml'), 'utf8')).toBe(krewTemplate(homepage));
});
