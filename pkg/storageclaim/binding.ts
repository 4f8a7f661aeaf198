import { isTerminating, keyOf, textAt } from '#pkg/object';
import { waitForChange, type Outcome } from '#pkg/runtime';
import { CLAIM_FINALIZER, compositeRefOf, holderOf, parseClaim, type Claim } from './claim.ts';
import { mayBeClaimedFrom, parseComposite, partFields, type Composite } from './composite.ts';
import { conditionIn, conditionsFor, type Condition } from './conditions.ts';
import { connect, type Connection } from './connection.ts';
import type { StorageClaimPorts } from './ports.ts';
import { targetOf } from './template.ts';
import { change, writeStatus } from './writes.ts';

type Refusal = Omit<Condition, 'type' | 'isTrue'>;

/** Takes the composite, if it may be had, and tells how it is. */
export async function bind(claim: Claim, ports: StorageClaimPorts, signal: AbortSignal): Promise<Outcome> {
  const found = await ports.get(compositeRefOf(claim), signal);
  const composite = found && parseComposite(found);
  const refusal = refusalOf(claim, composite);
  if (!composite || refusal) {
    const why = refusal ?? missing(claim);
    return conclude(claim, { conditions: [notReady(why), synced(why)] }, ports, signal);
  }
  const bound = await take(claim, composite, ports, signal);
  if (!bound) return waitForChange;
  const connection = await connect(bound.claim, bound.composite, ports, signal);
  return conclude(
    bound.claim,
    {
      composite: {
        name: composite.ref.name,
        uid: composite.uid,
        resources: bound.composite.parts.map(partFields),
      },
      connection: connection.secretName ? { secretName: connection.secretName } : null,
      conditions: [readyOf(bound.composite, connection), synced(undefined)],
    },
    ports,
    signal,
  );
}

/** Why a claim may not have a composite. */
export function refusalOf(claim: Claim, composite: Composite | undefined): Refusal | undefined {
  if (!composite) return undefined;
  const name = `StorageComposite "${composite.ref.name}"`;
  if (composite.templates.some((template) => keyOf(targetOf(template, composite.ref)) === keyOf(claim.ref)))
    return { reason: 'ComposedByIt', message: `${name} makes this claim, and cannot be had by it` };
  const holder = holderOf(composite, claim);
  if (holder === 'mine') return undefined;
  if (holder === 'other') {
    const { namespace = '', name: other = '' } = composite.claimRef ?? {};
    const isNamesake = namespace === claim.ref.namespace && other === claim.ref.name;
    return isNamesake
      ? {
          reason: 'CompositeReleased',
          message: `${name} was bound to an earlier claim of this name; whoever manages it can remove spec.claimRef`,
        }
      : { reason: 'CompositeClaimed', message: `${name} is bound to StorageClaim "${namespace}/${other}"` };
  }
  if (isTerminating(composite.object))
    return { reason: 'CompositeTerminating', message: `${name} is being deleted` };
  if (!mayBeClaimedFrom(composite, claim.ref.namespace))
    return {
      reason: 'NotClaimable',
      message: `${name} may not be claimed from namespace "${claim.ref.namespace}" (spec.claimableFrom.namespaces)`,
    };
  return undefined;
}

function missing({ compositeName, compositeUid }: Claim): Refusal {
  const name = `StorageComposite "${compositeName}"`;
  return compositeUid === undefined
    ? { reason: 'CompositeNotFound', message: `${name} does not exist` }
    : { reason: 'CompositeLost', message: `${name}, which it was bound to, is gone` };
}

/**
 * Finalizer first: a claim that has a composite must be seen when it goes. Whoever else takes the composite in between
 * makes this a conflict.
 */
async function take(
  claim: Claim,
  composite: Composite,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<{ readonly claim: Claim; readonly composite: Composite } | undefined> {
  const { finalizers = [] } = claim.object.metadata;
  const held = finalizers.includes(CLAIM_FINALIZER)
    ? claim.object
    : await change(
        claim.object,
        { metadata: { finalizers: [...finalizers, CLAIM_FINALIZER] } },
        ports,
        signal,
      );
  if (!held) return undefined;
  if (holderOf(composite, claim) === 'mine') return { claim: parseClaim(held), composite };
  const { apiVersion, kind } = claim.object;
  const { namespace, name } = claim.ref;
  const claimRef = { apiVersion, kind, namespace, name, uid: claim.uid };
  const taken = await change(composite.object, { spec: { claimRef } }, ports, signal);
  return taken && { claim: parseClaim(held), composite: parseComposite(taken) };
}

function readyOf({ object }: Composite, connection: Connection): Condition {
  if (isTerminating(object))
    return notReady({ reason: 'CompositeTerminating', message: 'the composite is being deleted' });
  const ready = conditionIn(object, 'Ready');
  if (textAt(ready, 'status') !== 'True')
    return notReady({
      reason: 'CompositeNotReady',
      message: textAt(ready, 'message') ?? 'the composite has not been composed yet',
    });
  if (connection.problem) return notReady(connection.problem);
  return { type: 'Ready', isTrue: true, reason: 'Available', message: '' };
}

function notReady(why: Refusal): Condition {
  return { type: 'Ready', isTrue: false, ...why };
}

function synced(refusal: Refusal | undefined): Condition {
  return refusal
    ? { type: 'Synced', isTrue: false, ...refusal }
    : { type: 'Synced', isTrue: true, reason: 'Bound', message: '' };
}

async function conclude(
  claim: Claim,
  {
    conditions,
    ...status
  }: Readonly<Record<string, unknown>> & { readonly conditions: readonly Condition[] },
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<Outcome> {
  const full = { ...status, conditions: conditionsFor(claim.object, conditions, ports.clock.now()) };
  await writeStatus(claim.object, full, ports, signal);
  return waitForChange;
}
