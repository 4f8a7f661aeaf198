import type { Requester } from '#pkg/admission';
import { eventOf } from '#pkg/kube';
import {
  fieldAt,
  isAlreadyExists,
  type GroupKind,
  type KubeObject,
  type ObjectRef,
  type Reader,
  type ResourceTypes,
  type Writer,
} from '#pkg/object';
import { CLUSTER_USAGE, parseUsage, USAGE, type Usage } from '#pkg/usage';

export type Types = (wanted: GroupKind, signal: AbortSignal) => Promise<ResourceTypes>;

/** Every usage, read from the server at this moment. Throws when any could not be read: unknown is not none. */
export function usageLister(
  reader: Reader,
  types: Types,
): (signal: AbortSignal) => Promise<readonly Usage[]> {
  return async (signal) => {
    for (const kind of [USAGE, CLUSTER_USAGE]) {
      // A server that is just starting may lack them for a moment.
      if (!(await types(kind, signal)).find(kind))
        throw new Error(`the server does not have ${kind.kind} at present`);
    }
    const listings = await Promise.all(
      [USAGE, CLUSTER_USAGE].map((kind) => reader.list({ kind, detail: 'object' }, signal)),
    );
    const [gap] = listings.flatMap(({ gaps }) => gaps);
    if (gap) throw new Error(`cannot list ${gap.what}: ${gap.reason}`);
    return listings.flatMap(({ items }) => items).map(parseUsage);
  };
}

type Target = Omit<ObjectRef, 'name'> & {
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
};

/** Whether a user may do something to an object. */
export type AccessReviewer = (
  user: Partial<Requester> & { readonly username: string },
  verb: string,
  target: Target,
  signal: AbortSignal,
) => Promise<boolean>;

/** Asks the API server. */
export function accessReviewer(writer: Writer, types: Types): AccessReviewer {
  return async (user, verb, target, signal) => {
    const type = (await types(target, signal)).find(target);
    if (!type) return false;
    const spec = {
      user: user.username,
      ...(user.uid ? { uid: user.uid } : {}),
      groups: user.groups ?? [],
      extra: user.extra ?? {},
      resourceAttributes: {
        verb,
        group: type.group,
        version: type.version,
        resource: type.plural,
        ...(target.namespace ? { namespace: target.namespace } : {}),
        ...(target.name ? { name: target.name } : {}),
        ...(target.subresource ? { subresource: target.subresource } : {}),
      },
    };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    return fieldAt(await writer.createReview(review, signal), 'status', 'allowed') === true;
  };
}

/** Tells people what happened to an object. */
export type EventRecorder = (
  object: KubeObject,
  reason: string,
  note: string,
  signal: AbortSignal,
) => Promise<void>;

/** Writes Events about objects. An Event that cannot be written is no reason to fail. */
export function eventRecorder(
  writer: Writer,
  instance: string,
  now: () => number,
  onFailure: (error: unknown) => void,
): EventRecorder {
  return async (object, reason, note, signal) => {
    const happening = { regarding: object, type: 'Warning', reason, action: reason, note } as const;
    const event = eventOf(happening, { controller: 'rook-deps.io/controller', instance }, now());
    try {
      await writer.create(event, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) onFailure(error);
    }
  };
}
