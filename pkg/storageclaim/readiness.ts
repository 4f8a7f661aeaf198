import { isTerminating, Kinds, listAt, refOf, textAt, type KubeObject } from '#pkg/object';

export interface Readiness {
  readonly isReady: boolean;
  readonly message?: string;
}

const ANSWERED: ReadonlySet<string> = new Set([Kinds.CephCluster.group, Kinds.StorageComposite.group]);
const CONDITIONS = ['Ready', 'Available'];
const GOOD_PHASES = new Set([
  'Ready',
  'Connected',
  'Created',
  'Available',
  'Bound',
  'Active',
  'Running',
  'Succeeded',
]);

/** Whether an object can be used, as far as it says so itself: by a condition, by a phase, or else by being there. */
export function readinessOf(object: KubeObject): Readiness {
  if (isTerminating(object)) return { isReady: false, message: 'is being deleted' };
  const condition = listAt(object, 'status', 'conditions').find((item) =>
    CONDITIONS.includes(textAt(item, 'type') ?? ''),
  );
  if (condition) {
    if (textAt(condition, 'status') === 'True') return { isReady: true };
    const words = [textAt(condition, 'reason'), textAt(condition, 'message')].filter(Boolean);
    return { isReady: false, message: words.join(': ') || 'is not ready' };
  }
  const phase = textAt(object, 'status', 'phase');
  if (phase)
    return GOOD_PHASES.has(phase) ? { isReady: true } : { isReady: false, message: `is in phase ${phase}` };
  // Rook's operator and we write a status to all that was looked at.
  return ANSWERED.has(refOf(object).group)
    ? { isReady: false, message: 'nobody has looked at it yet' }
    : { isReady: true };
}
