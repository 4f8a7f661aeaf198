import { open, stat } from 'node:fs/promises';
import { textAt } from '#pkg/object';
import type { LocalInstall } from './local-install.ts';

const USER = 'system:serviceaccount:rook-deps-system:rook-deps-controller';
const WRITES = ['create', 'update', 'patch', 'delete'];

/** The end of the audit log, to count from. */
export async function auditEnd({ plane }: LocalInstall): Promise<number> {
  return (await stat(plane.auditLog)).size;
}

/** What the controller has written since, as `verb URI`; renewing its lease is not counted. */
export async function controllerWrites({ plane }: LocalInstall, since: number): Promise<readonly string[]> {
  await using file = await open(plane.auditLog);
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - since), 0, size - since, since);
  const lines = buffer.toString('utf8', 0, bytesRead).split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const event: unknown = JSON.parse(line);
    const [verb = '', uri = ''] = [textAt(event, 'verb'), textAt(event, 'requestURI')];
    const isCounted =
      textAt(event, 'user', 'username') === USER && WRITES.includes(verb) && !/leases|reviews/.test(uri);
    return isCounted ? [`${verb} ${uri}`] : [];
  });
}
