import { createHash } from 'node:crypto';
import type { OwnerReference, ResourceType } from '#pkg/object';

/** An object to be created, and the status it gets afterwards. */
export interface Seed {
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly owner?: OwnerReference;
  /** `spec`, `parameters` and the like. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** An object that exists, with the UID that the server chose. */
export interface Created extends Seed {
  readonly uid: string;
}

/** Makes the object on the server, status included. */
export type Create = (seed: Seed) => Promise<Created>;

export function apiVersionOf({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}

export function controlledBy({ type, name, uid }: Created): OwnerReference {
  const { kind } = type;
  return { apiVersion: apiVersionOf(type), kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The same UUID for the same words: two runs fill their servers alike. */
export function uuidOf(...words: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(words.join(' ')).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** `count` names of the form `prefix-0`. */
export function numbered(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
}

/** The element at a position that goes round and round. */
export function cyclic<T>(values: readonly T[], at: number): T {
  const value = values[at % values.length];
  if (value === undefined) throw new RangeError('cannot choose from nothing');
  return value;
}
