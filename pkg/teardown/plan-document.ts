import type { KubeObject, ObjectRef } from '#pkg/object';
import { API_VERSION } from '#pkg/verdict';
import type { Plan } from './plan.ts';

/** The plan for programs. Fields are added, never changed. */
export function planDocument({
  subjects,
  levels,
  owned,
  left,
  obstacles,
  gaps,
  unasked,
  notes,
}: Plan): object {
  return {
    apiVersion: API_VERSION,
    kind: 'DeletionPlan',
    subjects: subjects.map(named),
    levels: levels.map((level) => level.map(({ object, action }) => ({ ...named(object), action }))),
    owned: owned.map(reference),
    left: left.map(({ ref, otherOwner }) => ({ ...reference(ref), ...(otherOwner ? { otherOwner } : {}) })),
    obstacles: obstacles.map(({ kind, code, message, object }) => ({
      kind,
      code,
      message,
      object: reference(object),
    })),
    gaps,
    unasked,
    notes,
  };
}

function named({ apiVersion, kind, metadata: { namespace, name, uid } }: KubeObject): object {
  return { apiVersion, kind, ...(namespace ? { namespace } : {}), name, ...(uid ? { uid } : {}) };
}

function reference({ group, kind, namespace, name }: ObjectRef): object {
  return { group, kind, ...(namespace ? { namespace } : {}), name };
}
