import type { Objection } from '#pkg/admission';
import { keyOf, refOf, type KubeObject } from '#pkg/object';
import { DEFINITION, type CriticalService } from './critical-service.ts';

export function isDefinition(object: KubeObject): boolean {
  return keyOf(refOf(object)) === keyOf(DEFINITION);
}

const MAX_NAMED = 20;

/** Against the deletion of their definition, with which they would go. Nothing of this is ever repeated, nor noted. */
export function losing(services: readonly CriticalService[]): Objection | undefined {
  const names = services.filter(({ isReleased }) => !isReleased).map(({ ref }) => ref.name);
  if (names.length === 0) return undefined;
  const left = names.length - MAX_NAMED;
  return {
    lines: [
      `CustomResourceDefinition "${DEFINITION.name}" would take along all critical services, and what they keep could be deleted. Delete these first:`,
      ...names.slice(0, MAX_NAMED).map((name) => `- CriticalService ${name}`),
      ...(left > 0 ? [`- +${left} more`] : []),
    ],
    causes: names.map((name) => ({ reason: 'RD046', message: `CriticalService "${name}" exists` })),
  };
}
