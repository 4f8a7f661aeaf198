import { isRecord } from './fields.ts';
import type { KubeObject } from './object.ts';

/** Checks the part of an object that everything else relies on. Returns what is wrong, in words, if anything is. */
export function parseObject(value: unknown): KubeObject | string {
  if (!isRecord(value)) return 'not a Kubernetes object';
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || apiVersion === '') return `Object 'apiVersion' is missing`;
  if (typeof kind !== 'string' || kind === '') return `Object 'Kind' is missing`;
  if (!isRecord(metadata)) return `${kind} has no metadata`;
  const hasNulls = Object.values(metadata).includes(null);
  const problem = metadataProblem(hasNulls ? withoutNulls(metadata) : metadata);
  if (problem) return `${kind} ${problem}`;
  return (hasNulls ? { ...value, metadata: withoutNulls(metadata) } : value) as unknown as KubeObject;
}

/** Null means unset, also where a reader of metadata would take it for a value. */
function withoutNulls(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([, field]) => field !== null));
}

function metadataProblem(metadata: Record<string, unknown>): string | undefined {
  if (typeof metadata['name'] !== 'string' || metadata['name'] === '') return 'has no metadata.name';
  for (const field of ['namespace', 'uid', 'deletionTimestamp']) {
    const text = metadata[field];
    if (text !== undefined && typeof text !== 'string') return `has a metadata.${field} that is not text`;
  }
  for (const field of ['labels', 'annotations']) {
    const map = metadata[field];
    if (map === undefined || map === null) continue;
    const isTextMap = isRecord(map) && Object.values(map).every((text) => typeof text === 'string');
    if (!isTextMap) return `has metadata.${field} that are not text`;
  }
  const finalizers = metadata['finalizers'] ?? [];
  if (!Array.isArray(finalizers) || !finalizers.every((name) => typeof name === 'string')) {
    return 'has metadata.finalizers that are not a list of names';
  }
  return ownersProblem(metadata['ownerReferences'] ?? []);
}

function ownersProblem(owners: unknown): string | undefined {
  const isOwner = (owner: unknown): boolean =>
    isRecord(owner) && ['apiVersion', 'kind', 'name'].every((field) => typeof owner[field] === 'string');
  if (Array.isArray(owners) && owners.every(isOwner)) return undefined;
  return 'has metadata.ownerReferences that are not references';
}
