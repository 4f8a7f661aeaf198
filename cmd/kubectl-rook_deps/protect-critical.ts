import {
  additionTo,
  CRITICAL_SERVICE,
  madeBefore,
  newCriticalService,
  parseCriticalService,
  type CriticalService,
  type NewCriticalService,
} from '#pkg/criticalservice';
import { isAlreadyExists, isConflict, recordAt, type KubeObject, type ResourceTypes } from '#pkg/object';
import { listCriticalServices } from './critical-services.ts';
import { FIELD_MANAGER, tell, unlessGoing, type Made, type Protecting } from './protecting.ts';

/** The controller writes to it as well, and somebody else may add to it at the same time. */
const MOST_TRIES = 10;

/** Makes a CriticalService, or adds to the one that was made for the same provider before. */
export async function protectCritical(
  wish: NewCriticalService,
  context: Protecting,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const types = await context.cluster.reader.types(signal);
    const found = await foundBefore(wish, types, context, signal);
    const made = await make(wish, found, types, context, signal).catch((error: unknown) => {
      if (tries >= MOST_TRIES || !(isConflict(error) || isAlreadyExists(error))) throw error;
    });
    if (made) return tell(made, context, signal);
  }
}

async function foundBefore(
  wish: NewCriticalService,
  types: ResourceTypes,
  context: Protecting,
  signal: AbortSignal,
): Promise<CriticalService | undefined> {
  // A manifest can be made for a cluster that has none yet.
  if (!types.find(CRITICAL_SERVICE)) return undefined;
  const found = madeBefore(wish, await listCriticalServices(context.cluster, signal), types);
  const before = await unlessGoing(found?.object, context, signal);
  return before && found;
}

/** Undefined when it is gone since it was found. */
async function make(
  wish: NewCriticalService,
  found: CriticalService | undefined,
  types: ResourceTypes,
  { dryRun, cluster: { writer } }: Protecting,
  signal: AbortSignal,
): Promise<Made | undefined> {
  const options = { fieldManager: FIELD_MANAGER, dryRun: dryRun === 'server' };
  if (!found) {
    const service = newCriticalService(wish);
    const stored = dryRun === 'client' ? service : await writer.create(service, options, signal);
    return { stored, word: 'created' };
  }
  const { object, ref } = found;
  const spec = additionTo(found, wish, types);
  if (!spec) return { stored: object, word: 'unchanged', note: noteOn(found, object) };
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion }, spec };
  const stored =
    dryRun === 'client'
      ? manifestOf(object, spec)
      : await writer.patch(ref, { type: 'merge', body, ...options }, signal);
  return stored && { stored, word: 'configured', note: noteOn(found, stored) };
}

function manifestOf({ apiVersion, kind, metadata, ...rest }: KubeObject, spec: object): KubeObject {
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name },
    spec: { ...recordAt(rest, 'spec'), ...spec },
  };
}

/** What it has now: not all of it was asked for just now. */
function noteOn(before: CriticalService, stored: KubeObject): string {
  const { criteria, deletionPolicy, replayDeletion } = parseCriticalService(stored);
  const added = criteria.length - before.criteria.length;
  const number = `${criteria.length} ${criteria.length === 1 ? 'criterion' : 'criteria'}`;
  return `It waits for ${number}, ${added} new; deletionPolicy ${deletionPolicy}, replayDeletion ${replayDeletion}.`;
}
