import { fieldAt, isRecord, listAt, textAt, type KubeObject, type ManagedFieldsEntry } from '#pkg/object';
import type { Condition, Deletion, Finalizer } from './report.ts';

export type OperatorState = NonNullable<Deletion['operator']>;

/** What is known about a deletion that has been asked for; undefined for an object that nobody deletes. */
export function deletionOf(object: KubeObject, operator: OperatorState): Deletion | undefined {
  const { deletionTimestamp, finalizers = [], managedFields = [] } = object.metadata;
  if (deletionTimestamp === undefined) return undefined;
  const requestedBy = managerOf(managedFields, ['f:metadata', 'f:deletionTimestamp']);
  return {
    requestedAt: deletionTimestamp,
    ...(requestedBy ? { requestedBy } : {}),
    finalizers: finalizers.map((name) => finalizerOf(name, managedFields)),
    conditions: listAt(object, 'status', 'conditions').flatMap(conditionOf),
    ...(finalizers.some(isRooks) ? { operator } : {}),
  };
}

/** One ready pod is enough: the operator elects a leader. */
export function operatorState(pods: readonly KubeObject[]): OperatorState {
  if (pods.length === 0) return 'NotFound';
  return pods.some(isReady) ? 'Running' : 'NotRunning';
}

function isReady(pod: KubeObject): boolean {
  return listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );
}

function isRooks(finalizer: string): boolean {
  return finalizer.endsWith('.ceph.rook.io') || finalizer.startsWith('ceph.rook.io/');
}

function finalizerOf(name: string, managedFields: readonly ManagedFieldsEntry[]): Finalizer {
  const manager = managerOf(managedFields, ['f:metadata', 'f:finalizers', `v:"${name}"`]);
  return manager ? { name, manager } : { name };
}

function managerOf(entries: readonly ManagedFieldsEntry[], path: readonly string[]): string | undefined {
  return entries.find(({ fieldsV1 }) => fieldAt(fieldsV1, ...path) !== undefined)?.manager;
}

/** The conditions that tell of a deletion; the others tell of the daily work. */
function conditionOf(value: unknown): readonly Condition[] {
  const type = textAt(value, 'type');
  const status = textAt(value, 'status');
  if (!isRecord(value) || !type || !status || !/Deleti(on|ng)/.test(type)) return [];
  const reason = textAt(value, 'reason');
  const message = textAt(value, 'message');
  return [{ type, status, ...(reason ? { reason } : {}), ...(message ? { message } : {}) }];
}
