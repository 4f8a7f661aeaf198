import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createTar } from 'nanotar';

export interface ArchivedFile {
  readonly name: string;
  readonly data: Uint8Array | string;
  readonly isExecutable?: boolean;
}

/** The highest level saves half a percent more, and takes three times as long. */
const LEVEL = 6;

/** A .tar.gz of regular files that depends on nothing but them: no time, no owner. */
export async function archive(files: readonly ArchivedFile[]): Promise<Buffer> {
  const tar = createTar(
    files.map(({ name, data, isExecutable }) => ({
      name,
      data,
      attrs: { mode: isExecutable ? '755' : '644' },
    })),
    { attrs: { mtime: 0, uid: 0, gid: 0, user: 'root', group: 'root' } },
  );
  return promisify(gzip)(tar, { level: LEVEL });
}
