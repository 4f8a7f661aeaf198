import { randomBytes } from 'node:crypto';
import { cutToBytes, type KubeObject } from '#pkg/object';

/** What happened, to which object. */
export interface Happening {
  readonly regarding: KubeObject;
  readonly related?: KubeObject | undefined;
  readonly type: 'Normal' | 'Warning';
  /** Why, in one CamelCase word. */
  readonly reason: string;
  /** What was done or refused, in one CamelCase word. */
  readonly action: string;
  /** For people; cut to what the server accepts. */
  readonly note: string;
}

/** Who says so. */
export interface Reporter {
  /** Like `rook-deps.io/usage`. */
  readonly controller: string;
  /** Which of its replicas. */
  readonly instance: string;
}

const NOTE_BYTES = 1024;
const WORD_CHARACTERS = 128;
/** Of 253: room for the dot and the suffix. */
const NAME_CHARACTERS = 220;

/** An Event as the server accepts it; create it with a Writer. Events on cluster-scoped objects live in `default`. */
export function eventOf(happening: Happening, reporter: Reporter, nowMs: number): KubeObject {
  const { regarding, related, type, reason, action, note } = happening;
  const suffix = `${nowMs.toString(16)}${randomBytes(3).toString('hex')}`;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      name: `${nameStem(regarding.metadata.name)}.${suffix}`,
      namespace: regarding.metadata.namespace ?? 'default',
    },
    // The server wants microseconds.
    eventTime: new Date(nowMs).toISOString().replace('Z', '000Z'),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(0, WORD_CHARACTERS),
    type,
    reason: reason.slice(0, WORD_CHARACTERS),
    action: action.slice(0, WORD_CHARACTERS),
    note: cutToBytes(note, NOTE_BYTES),
    regarding: objectReference(regarding),
    ...(related && { related: objectReference(related) }),
  };
}

/** Names of roles and the like hold characters that the name of an Event may not. */
function nameStem(name: string): string {
  const stem = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .slice(0, NAME_CHARACTERS)
    .split('.')
    .map((label) => label.replaceAll(/^-+|-+$/g, ''))
    .filter((label) => label !== '')
    .join('.');
  return stem || 'event';
}

function objectReference({ apiVersion, kind, metadata }: KubeObject): Readonly<Record<string, unknown>> {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
