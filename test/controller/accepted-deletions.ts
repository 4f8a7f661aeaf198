import { readFile } from 'node:fs/promises';
import { numberAt, textAt } from '#pkg/object';
import type { Scene } from './scene.ts';

/** How many deletions of a composite by the controller the server has accepted. */
export async function acceptedDeletions({ install }: Scene, composite: string): Promise<number> {
  const lines = (await readFile(install.plane.auditLog, 'utf8')).split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line) as unknown)
    .filter(
      (event) =>
        textAt(event, 'verb') === 'delete' &&
        textAt(event, 'stage') === 'ResponseComplete' &&
        numberAt(event, 'responseStatus', 'code') === 200 &&
        textAt(event, 'user', 'username')?.endsWith(':rook-deps-controller') === true &&
        textAt(event, 'requestURI')?.endsWith(`/storagecomposites/${composite}`) === true,
    ).length;
}
