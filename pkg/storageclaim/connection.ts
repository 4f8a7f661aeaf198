import { fieldAt, Kinds, recordAt, textAt, type KubeObject } from '#pkg/object';
import { asSeen, controllerOf, FIELD_MANAGER } from './apply-part.ts';
import type { Claim } from './claim.ts';
import type { Composite } from './composite.ts';
import { contains } from './drift.ts';
import { refusalOf } from './outcome.ts';
import type { StorageClaimPorts } from './ports.ts';

/** How to reach the storage, as far as a claim has been told. */
export interface Connection {
  readonly secretName?: string;
  readonly problem?: { readonly reason: string; readonly message: string };
}

/** Copies the Secret that a composite names into the namespace of its claim, and keeps it the same. */
export async function connect(
  claim: Claim,
  { connectionSecret }: Composite,
  ports: StorageClaimPorts,
  signal: AbortSignal,
): Promise<Connection> {
  if (!connectionSecret) return disconnect(claim, ports, signal);
  const { group, kind } = Kinds.Secret;
  const where = `Secret "${connectionSecret.namespace}/${connectionSecret.name}"`;
  try {
    const source = await ports.get({ group, kind, ...connectionSecret }, signal);
    // What was copied before may still be right, and is used.
    if (!source)
      return {
        ...(claim.connectionName ? { secretName: claim.connectionName } : {}),
        problem: { reason: 'ConnectionPending', message: `${where} of the composite does not exist yet` },
      };
    const copy = copyOf(source, claim);
    const { namespace, name } = copy.metadata;
    const live = await ports.get({ group, kind, namespace, name }, signal);
    if (live && controllerOf(live)?.uid !== claim.uid) {
      const message = `Secret "${name}" was there before and does not belong to this claim, so it is left alone`;
      return { problem: { reason: 'ConnectionSecretExists', message } };
    }
    if (!live || !isSame(live, copy))
      await ports.writer.apply(asSeen(copy, live), { fieldManager: FIELD_MANAGER, force: true }, signal);
    return { secretName: name };
  } catch (error) {
    const problem = refusalOf(error, Kinds.Secret);
    if (!problem) throw error;
    return { problem };
  }
}

/** Takes the copy away when the composite no longer names a Secret. */
async function disconnect(claim: Claim, ports: StorageClaimPorts, signal: AbortSignal): Promise<Connection> {
  if (!claim.connectionName) return {};
  const { group, kind } = Kinds.Secret;
  const ref = { group, kind, namespace: claim.ref.namespace, name: claim.connectionName };
  try {
    const live = await ports.get(ref, signal);
    if (live && controllerOf(live)?.uid === claim.uid)
      await ports.writer.delete(ref, { uid: live.metadata.uid }, signal);
    return {};
  } catch (error) {
    const problem = refusalOf(error, Kinds.Secret);
    if (!problem) throw error;
    return { secretName: claim.connectionName, problem };
  }
}

/** A key that the source has lost is lost here, too. */
function isSame(live: KubeObject, copy: KubeObject): boolean {
  const keys = (secret: KubeObject): number => Object.keys(recordAt(secret, 'data')).length;
  return contains(live, copy) && keys(live) === keys(copy);
}

function copyOf(source: KubeObject, { object, ref, uid }: Claim): KubeObject {
  const owner = { apiVersion: object.apiVersion, kind: object.kind, name: ref.name, uid };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${ref.name}-connection`,
      namespace: ref.namespace,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
    },
    type: textAt(source, 'type') ?? 'Opaque',
    data: fieldAt(source, 'data') ?? {},
  };
}
