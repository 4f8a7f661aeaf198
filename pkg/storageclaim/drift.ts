import { isRecord } from '#pkg/object';

/** Whether a live value has all that is wanted of it. What others have added does not matter, except to lists. */
export function contains(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(live)) return wanted.length === 0 && live === undefined;
    return live.length === wanted.length && wanted.every((item, at) => contains(live[at], item));
  }
  if (isRecord(wanted)) {
    if (!isRecord(live)) return Object.keys(wanted).length === 0 && live === undefined;
    return Object.entries(wanted).every(([name, value]) => value === null || contains(live[name], value));
  }
  return live === wanted;
}
