import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { cacheFolder, ensureCached, type Cached } from './cache.ts';

const signal = AbortSignal.timeout(10_000);
/** Above the largest process id of any system. */
const NOBODY = 2 ** 30;

let parent: string;
let folder: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'cache-test-'));
  folder = join(parent, 'made');
});

afterEach(() => rm(parent, { recursive: true }));

function cached(fill: Cached['fill']): Cached {
  return { folder, files: ['file'], fill, report: () => undefined };
}

const writeFileInto = (into: string): Promise<void> => writeFile(join(into, 'file'), 'content');

describe('ensureCached', () => {
  test('fills a missing folder once', async () => {
    const fill = vi.fn(writeFileInto);
    await ensureCached(cached(fill), signal);
    await ensureCached(cached(fill), signal);
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('content');
    expect(fill).toHaveBeenCalledTimes(1);
    expect(await readdir(parent)).toEqual(['made']);
  });

  test('fills once when asked twice at the same time', async () => {
    const fill = vi.fn(writeFileInto);
    await Promise.all([ensureCached(cached(fill), signal), ensureCached(cached(fill), signal)]);
    expect(fill).toHaveBeenCalledTimes(1);
  });

  test('leaves nothing when filling fails', async () => {
    const fill = async (into: string): Promise<void> => {
      await writeFileInto(into);
      throw new Error('out of memory');
    };
    await expect(ensureCached(cached(fill), signal)).rejects.toThrow('out of memory');
    expect(await readdir(parent)).toEqual([]);
  });

  test('fills an incomplete folder anew', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'other'), '');
    await ensureCached(cached(writeFileInto), signal);
    expect(await readdir(folder)).toEqual(['file']);
  });

  test('takes over from a killed process and removes what it left', async () => {
    await writeFile(`${folder}.lock`, String(NOBODY));
    await mkdir(`${folder}.partial-${NOBODY}`);
    await ensureCached(cached(writeFileInto), signal);
    expect(await readdir(parent)).toEqual(['made']);
  });

  test('waits for a living process', async () => {
    await writeFile(`${folder}.lock`, String(process.ppid));
    const { promise: reported, resolve } = Promise.withResolvers<string>();
    const done = ensureCached({ ...cached(writeFileInto), report: resolve }, signal);
    expect(await reported).toContain(String(process.ppid));
    expect(existsSync(folder)).toBe(false);
    await rm(`${folder}.lock`);
    await done;
    expect(existsSync(folder)).toBe(true);
  });
});

describe('cacheFolder', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('is named by the first 16 digits of the hash, below XDG_CACHE_HOME', () => {
    vi.stubEnv('XDG_CACHE_HOME', '/cache');
    expect(cacheFolder('kind', 'abc')).toBe(join('/cache', 'rook-deps', 'kind', 'ba7816bf8f01cfea'));
  });
});
