import { isForbidden, isTerminating, keyOf, numberAt, textAt, type KubeObject } from '#pkg/object';
import { lookAgain, waitForChange, type Outcome } from '#pkg/runtime';
import { controllerOf } from './apply-part.ts';
import { CLAIM_FINALIZER, compositeRefOf, holderOf, parseClaim, type Claim } from './claim.ts';
import { parseComposite, partFields, type Composite, type Part } from './composite.ts';
import { conditionIn, conditionsFor } from './conditions.ts';
import { lookFor, NotServedError } from './look-for.ts';
import { messageOf } from './outcome.ts';
import type { StorageClaimPorts } from './ports.ts';
import { change, describe, writeStatus } from './writes.ts';

/** Somebody's leave to delete the composite may come without a change of any object that is watched. */
const REFUSED_AGAIN_MS = 10_000;
const MAX_NAMED = 10;

/** Takes the composite down with its claim; one that belongs to another claim, or to nobody, is not touched. */
export async function release(claim: Claim, ports: StorageClaimPorts, signal: AbortSignal): Promise<Outcome> {
  if (!claim.object.metadata.finalizers?.includes(CLAIM_FINALIZER)) return waitForChange;
  const found = await lookFor(compositeRefOf(claim), ports, signal);
  const composite = found && parseComposite(found);
  const own = composite && holderOf(composite, claim) === 'mine' ? composite : undefined;
  // Taken from the claim, by whoever manages it: what it is composed of is no longer the claim's to wait for.
  if (composite && !own && composite.uid === claim.compositeUid) return drop(claim, ports, signal);
  if (claim.deletePolicy === 'Background' && claim.remaining.length === 0) {
    const refused = own && (await deleteComposite(own, 'Background', ports, signal));
    if (!refused) return drop(claim, ports, signal);
    await tell(claim, refused, [], ports, signal);
    return lookAgain(REFUSED_AGAIN_MS);
  }
  const remaining = await stillThere(claim, own, ports, signal);
  if (!own && remaining.length === 0) return drop(claim, ports, signal);
  const before = own && !isTerminating(own.object) ? lastRefusal(claim.object) : undefined;
  // Told before anything is done: after a crash this is what must be waited for.
  const told = await tell(claim, before, remaining, ports, signal);
  if (!told) return waitForChange;
  const refused = own && (await deleteComposite(own, 'Foreground', ports, signal));
  if (refused !== before) await tell(parseClaim(told), refused, remaining, ports, signal);
  return nextLook(refused, remaining);
}

/** One deletion is enough. Returns why it was refused. */
async function deleteComposite(
  { object, ref, uid }: Composite,
  propagationPolicy: 'Background' | 'Foreground',
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isTerminating(object)) return undefined;
  try {
    await ports.writer.delete(ref, { uid, propagationPolicy }, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    // Anything that the server has against it: people look here for the reason.
    if (numberAt(error, 'status') === undefined) throw error;
    return messageOf(error);
  }
}

/** Of the deletion of the composite, as the status has it: it stands until the next one is answered. */
function lastRefusal(claim: KubeObject): string | undefined {
  const synced = conditionIn(claim, 'Synced');
  return textAt(synced, 'reason') === 'DeletionRefused' ? textAt(synced, 'message') : undefined;
}

/** No change of an object tells that a refusal is over, or that something may be read. */
function nextLook(refused: string | undefined, remaining: readonly Remaining[]): Outcome {
  const isSure = refused === undefined && remaining.every(({ isSeen }) => isSeen);
  return isSure ? waitForChange : lookAgain(REFUSED_AGAIN_MS);
}

/** A part that is still there, or may be. */
type Remaining = Part & { readonly isSeen: boolean };

/** The composite and all it is composed of, or was when the deletion began, without what is gone. */
async function stillThere(
  claim: Claim,
  composite: Composite | undefined,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<readonly Remaining[]> {
  const whole: readonly Part[] = composite
    ? [
        {
          template: '',
          apiVersion: composite.object.apiVersion,
          ref: composite.ref,
          uid: composite.uid,
          isReady: false,
        },
        ...composite.parts,
      ]
    : [];
  const all = new Map(
    [...claim.composed, ...claim.remaining, ...whole].map((part) => [keyOf(part.ref), part]),
  );
  const owner = composite?.uid ?? claim.compositeUid;
  // A claim that its own composite has made cannot wait for itself.
  all.delete(keyOf(claim.ref));
  const looks = await Promise.all([...all.values()].map((part) => lookAt(part, owner, ports, signal)));
  return looks.flat();
}

/** What cannot be looked at counts as still there. */
async function lookAt(
  part: Part,
  owner: string | undefined,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<readonly Remaining[]> {
  try {
    const object = await lookFor(part.ref, ports, signal);
    if (!object || !isMeant(part, object, owner)) return [];
    if (object.metadata.uid !== owner && isReleased(object)) return [];
    return [{ ...part, uid: object.metadata.uid, message: otherOwners(object, owner), isSeen: true }];
  } catch (error) {
    if (!isForbidden(error) && !(error instanceof NotServedError)) throw error;
    // Never seen, it was never made: what may not be read may not be made.
    if (part.uid === undefined && isForbidden(error)) return [];
    return [{ ...part, message: messageOf(error), isSeen: false }];
  }
}

/** One that was made anew under the name, or that was never ours, is not waited for. */
function isMeant({ uid }: Part, object: KubeObject, owner: string | undefined): boolean {
  if (uid !== undefined) return uid === object.metadata.uid;
  return owner !== undefined && controllerOf(object)?.uid === owner;
}

/** With one that stays, it never goes: people have to know. */
function otherOwners(object: KubeObject, owner: string | undefined): string | undefined {
  const { ownerReferences = [] } = object.metadata;
  const isSure = owner !== undefined && !isTerminating(object);
  const others = isSure ? ownerReferences.filter(({ uid }) => uid !== owner) : [];
  return others.length > 0
    ? `owned by ${others.map(({ kind, name }) => `${kind} "${name}"`).join(', ')}, too`
    : undefined;
}

/** Orphaned, or saved by somebody who took its owner off: nothing will delete it any more. */
function isReleased(object: KubeObject): boolean {
  return !isTerminating(object) && (object.metadata.ownerReferences ?? []).length === 0;
}

async function tell(
  claim: Claim,
  refused: string | undefined,
  remaining: readonly Part[],
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const names = remaining
    .slice(0, MAX_NAMED)
    .map(({ ref, message: why }) => `${describe(ref)}${why ? ` (${why})` : ''}`);
  const more = remaining.length > MAX_NAMED ? ` and ${remaining.length - MAX_NAMED} more` : '';
  const waiting = `waiting for ${names.join(', ')}${more} to be gone`;
  const message = refused ? `the composite cannot be deleted: ${refused}` : waiting;
  const synced = refused
    ? ({ type: 'Synced', isTrue: false, reason: 'DeletionRefused', message: refused } as const)
    : ({ type: 'Synced', isTrue: true, reason: 'Deleting', message: '' } as const);
  const ready = { type: 'Ready', isTrue: false, reason: 'Deleting', message } as const;
  const status = {
    waitingFor: remaining.map(partFields),
    conditions: conditionsFor(claim.object, [ready, synced], ports.clock.now()),
  };
  return writeStatus(claim.object, status, ports, signal);
}

async function drop(claim: Claim, ports: StorageClaimPorts, signal: AbortSignal): Promise<Outcome> {
  const { finalizers = [] } = claim.object.metadata;
  const left = finalizers.filter((name) => name !== CLAIM_FINALIZER);
  await change(claim.object, { metadata: { finalizers: left } }, ports, signal);
  return waitForChange;
}
