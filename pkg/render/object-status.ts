import { fieldAt, isTerminating, listAt, numberAt, textAt, type KubeObject } from '#pkg/object';
import { printable } from './printable.ts';

/** One word on how an object is: its phase, its readiness, or that it is going away. */
export function objectStatus(object: KubeObject): string {
  if (isTerminating(object)) return 'Terminating';
  const phase = textAt(object, 'status', 'phase');
  if (phase) return printable(phase);
  if (object.kind === 'Deployment') {
    return `${numberAt(object, 'status', 'readyReplicas') ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 1} ready`;
  }
  if (object.kind === 'VolumeAttachment') {
    return fieldAt(object, 'status', 'attached') === true ? 'Attached' : 'Detached';
  }
  const readyToUse = fieldAt(object, 'status', 'readyToUse');
  if (typeof readyToUse === 'boolean') return readyToUse ? 'Ready' : 'NotReady';
  const ready = listAt(object, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'Ready',
  );
  const state = textAt(ready, 'status');
  return state ? (state === 'True' ? 'Ready' : 'NotReady') : '';
}
