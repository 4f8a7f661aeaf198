import { refOf, type KubeObject, type ObjectRef } from '#pkg/object';
import { API_VERSION } from '#pkg/verdict';
import type { Plan } from './plan.ts';

/** The plan for programs. Fields are added, never changed. */
export function planDocument({ subjects, levels, owned, left, obstacles, gaps, notes }: Plan): object {
  return {
    apiVersion: API_VERSION,
    kind: 'DeletionPlan',
    subjects: subjects.map(named),
    levels: levels.map((level) => level.map(({ object, action }) => ({ ...named(object), action }))),
    owned: owned.map(refOf).map(reference),
    left: left.map(({ ref, otherOwner, isOrphaned }) => ({
      ...reference(ref),
      ...(otherOwner ? { otherOwner } : {}),
      ...(isOrphaned ? { orphaned: true } : {}),
    })),
    obstacles: obstacles.map(({ kind, code, message, object }) => ({
      kind,
      code,
      message,
      object: reference(object),
    })),
    gaps,
    notes,
  };
}

function named({ apiVersion, kind, metadata: { namespace, name, uid } }: KubeObject): object {
  return { apiVersion, kind, ...(namespace ? { namespace } : {}), name, ...(uid ? { uid } : {}) };
}

function reference({ group, kind, namespace, name }: ObjectRef): object {
  return { group, kind, ...(namespace ? { namespace } : {}), name };
}
