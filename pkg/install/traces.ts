import type { Clock } from '#pkg/clock';
import {
  isConflict,
  isForbidden,
  isRookKind,
  numberAt,
  refOf,
  type Gap,
  type KubeObject,
  type Listing,
  type Reader,
  type ResourceType,
  type Writer,
} from '#pkg/object';
import { FINALIZER_PREFIX, OUR_LABELS } from './names.ts';

/** What carries something of ours, and what could not be looked at. */
export interface Traces {
  readonly objects: readonly KubeObject[];
  readonly gaps: readonly Gap[];
}

/** Objects with a label of ours, of all kinds that the server has. */
export async function findMarked(reader: Reader, signal: AbortSignal): Promise<Traces> {
  // Endpoints have the labels of their Service and lose them with it; asking for them brings a warning. Reviews are
  // answered, and kept nowhere: asking for some of them looks as if their kind were gone.
  const types = (await reader.types(signal))
    .all()
    .filter(({ kind }) => kind !== 'Endpoints' && !kind.endsWith('Review'));
  const listings = types.flatMap((kind) =>
    OUR_LABELS.map((labelSelector) => reader.list({ kind, detail: 'metadata', labelSelector }, signal)),
  );
  const { objects, gaps } = merged(await Promise.all(listings));
  // What cannot be listed is not kept anywhere.
  return {
    objects: distinct(objects),
    gaps: gaps.filter(({ reason }) => !reason.includes('MethodNotAllowed')),
  };
}

/** Objects that a finalizer of ours holds: those of our own kinds, and of Rook's. */
export async function findHeld(
  reader: Reader,
  ownKinds: readonly ResourceType[],
  signal: AbortSignal,
): Promise<Traces> {
  const types = [...ownKinds, ...(await reader.types(signal)).all().filter(isRookKind)];
  const listings = types.map((kind) => reader.list({ kind, detail: 'metadata' }, signal));
  const { objects, gaps } = merged(await Promise.all(listings));
  return { objects: objects.filter((object) => ourFinalizers(object).length > 0), gaps };
}

function merged(listings: readonly Listing[]): Traces {
  return {
    objects: listings.flatMap(({ items }) => items),
    gaps: listings.flatMap(({ gaps }) => gaps),
  };
}

/** An object with both labels, and one that two API groups show. */
function distinct(objects: readonly KubeObject[]): readonly KubeObject[] {
  return [...new Map(objects.map((object) => [object.metadata.uid ?? object, object])).values()];
}

interface StripPorts {
  readonly reader: Pick<Reader, 'get'>;
  readonly writer: Pick<Writer, 'patch'>;
  readonly clock: Clock;
}

const RETRY_MS = 200;
/** A deleted policy is obeyed for up to a second more. */
const RETRIES = 25;

/** Takes our labels off. */
export async function unlabel(
  object: KubeObject,
  { writer, clock }: StripPorts,
  signal: AbortSignal,
): Promise<void> {
  const labels = Object.fromEntries(OUR_LABELS.map((name) => [name, null]));
  for (let attempt = 1; ; attempt += 1) {
    try {
      await writer.patch(refOf(object), { type: 'merge', body: { metadata: { labels } } }, signal);
      return;
    } catch (error) {
      // Shown by an API that only mirrors what is kept elsewhere.
      if (numberAt(error, 'status') === 405) return;
      if (!isOfPolicy(error) || attempt === RETRIES) throw error;
      await clock.sleep(RETRY_MS, signal);
    }
  }
}

/** Removes our finalizers and leaves those of others, who may be changing theirs. */
export async function unhold(
  object: KubeObject,
  { reader, writer }: StripPorts,
  signal: AbortSignal,
): Promise<void> {
  let current: KubeObject | undefined = object;
  for (let attempt = 1; current; attempt += 1) {
    const ours = ourFinalizers(current);
    if (ours.length === 0) return;
    const finalizers = (current.metadata.finalizers ?? []).filter((name) => !ours.includes(name));
    const { uid, resourceVersion, namespace, name } = current.metadata;
    const body = { metadata: { uid, resourceVersion, finalizers } };
    try {
      await writer.patch(refOf(current), { type: 'merge', body }, signal);
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === RETRIES) throw error;
      current = await reader.get(refOf(current), namespace, name, signal);
    }
  }
}

function ourFinalizers({ metadata }: KubeObject): readonly string[] {
  return (metadata.finalizers ?? []).filter((name) => name.startsWith(FINALIZER_PREFIX));
}

function isOfPolicy(error: unknown): boolean {
  return isForbidden(error) && error instanceof Error && error.message.includes('ValidatingAdmissionPolicy');
}
