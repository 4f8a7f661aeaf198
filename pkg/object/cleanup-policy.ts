import { textAt } from './fields.ts';
import { Kinds } from './known-types.ts';
import { refOf, type KubeObject } from './object.ts';
import { sameKind } from './reference.ts';

/** Rook destroys all data of a CephCluster that is deleted with this word. */
export const DESTROY_DATA = 'yes-really-destroy-data';

/** Whether it is a CephCluster that bears the word. Until it is deleted, the word can be taken back. */
export function destroysData(object: KubeObject): boolean {
  return (
    sameKind(refOf(object), Kinds.CephCluster) &&
    textAt(object, 'spec', 'cleanupPolicy', 'confirmation') === DESTROY_DATA
  );
}
