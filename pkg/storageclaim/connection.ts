import { fieldAt, isForbidden, Kinds, recordAt, textAt, type KubeObject } from '#pkg/object';
import { controllerOf, FIELD_MANAGER } from './apply-part.ts';
import type { Claim } from './claim.ts';
import type { Composite } from './composite.ts';
import { contains } from './drift.ts';
import { grantCommand, messageOf } from './outcome.ts';
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
  if (!connectionSecret) return {};
  const { group, kind } = Kinds.Secret;
  const where = `Secret "${connectionSecret.namespace}/${connectionSecret.name}"`;
  try {
    const source = await ports.get({ group, kind, ...connectionSecret }, signal);
    if (!source)
      return {
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
      await ports.writer.apply(copy, { fieldManager: FIELD_MANAGER, force: true }, signal);
    return { secretName: name };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const message = `${messageOf(error)} (grant it: ${grantCommand(Kinds.Secret)})`;
    return { problem: { reason: 'Forbidden', message } };
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
