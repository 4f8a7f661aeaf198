import { readFile } from 'node:fs/promises';
import { numberAt, textAt } from '#pkg/object';
import type { Scene } from './scene.ts';

/** How many deletions of a composite by the controller the server has accepted. */
export async function acceptedDeletions(scene: Scene, composite: string): Promise<number> {
  return (await deletionAnswers(scene, composite)).filter((code) => code === 200).length;
}

/** What the server has answered to the deletions of a composite by the controller. */
export async function deletionAnswers({ install }: Scene, composite: string): Promise<readonly number[]> {
  const lines = (await readFile(install.plane.auditLog, 'utf8')).split('\n').filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line) as unknown)
    .filter(
      (event) =>
        textAt(event, 'verb') === 'delete' &&
        textAt(event, 'stage') === 'ResponseComplete' &&
        textAt(event, 'user', 'username')?.endsWith(':rook-deps-controller') === true &&
        textAt(event, 'requestURI')?.endsWith(`/storagecomposites/${composite}`) === true,
    )
    .map((event) => numberAt(event, 'responseStatus', 'code') ?? 0);
}
