import { constants } from 'node:fs';
import { access, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { output, Unavailable } from '../controlplane/index.ts';

/** What a test cluster runs, and the package of Debian and Ubuntu that brings it. */
const PROGRAMS = {
  'ceph-mon': 'ceph-mon',
  'ceph-osd': 'ceph-osd',
  'ceph-mgr': 'ceph-mgr',
  'ceph-mds': 'ceph-mds',
  radosgw: 'radosgw',
  'radosgw-admin': 'radosgw',
  ceph: 'ceph-common',
  rados: 'ceph-common',
  rbd: 'ceph-common',
  'ceph-authtool': 'ceph-common',
  monmaptool: 'ceph-mon',
} as const;

const INSTALL_TIMEOUT_MS = 600_000;
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';

/** Sees to it that the programs of Ceph are there: installs them where root and apt allow it. */
export async function ensureCeph(say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const missing = await missingPrograms();
  if (missing.length === 0) return;
  const what = `there is no ${missing.join(', ')}`;
  if (process.getuid?.() !== 0) throw new Unavailable(`${what}, and only root may install it`);
  if (!(await isProgram('apt-get'))) throw new Unavailable(`${what}, and no apt-get to install it`);
  say(`${what}: installing Ceph with apt-get`);
  try {
    await install(AbortSignal.any([signal, AbortSignal.timeout(INSTALL_TIMEOUT_MS)]));
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Unavailable(`${what}, and apt-get cannot install it: ${reason}`);
  }
}

async function missingPrograms(): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.keys(PROGRAMS).map(async (name) => ((await isProgram(name)) ? [] : [name])),
  );
  return found.flat();
}

async function isProgram(name: string): Promise<boolean> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/sbin'];
  for (const folder of folders) {
    try {
      await access(join(folder, name), constants.X_OK);
      return true;
    } catch {
      // Perhaps in the next folder.
    }
  }
  return false;
}

async function install(signal: AbortSignal): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const wait = ['-o', 'DPkg::Lock::Timeout=300', '-q'];
  const packages = [...new Set<string>(Object.values(PROGRAMS))];
  await output('apt-get', [...wait, 'update'], { env }, signal);
  const allowServices = await forbidServices();
  try {
    const flags = ['install', '-y', '--no-install-recommends'];
    await output('apt-get', [...wait, ...flags, ...packages], { env }, signal);
  } finally {
    await allowServices();
  }
}

/** Packages may start what they install; a test machine wants none of it. Returns how to undo it. */
async function forbidServices(): Promise<() => Promise<void>> {
  try {
    await writeFile(SERVICE_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755, flag: 'wx' });
  } catch {
    return () => Promise.resolve();
  }
  return () => rm(SERVICE_POLICY, { force: true });
}

/** Where the classes that OSDs load are: it differs by architecture. */
export async function radosClasses(): Promise<string> {
  const libraries = await readdir('/usr/lib');
  for (const folder of ['', ...libraries]) {
    const classes = join('/usr/lib', folder, 'rados-classes');
    try {
      await access(classes);
      return classes;
    } catch {
      // Elsewhere, then.
    }
  }
  throw new Unavailable('there are no rados-classes below /usr/lib');
}
