import { compareRefs, compareText, type ObjectRef } from '#pkg/object';

/** The dependent needs the provider. */
export interface Edge {
  readonly dependent: ObjectRef;
  readonly provider: ObjectRef;
  /** The stable code of the rule that found it. */
  readonly code: string;
  /** The verb between the two: "keeps its data in". */
  readonly relation: string;
  /** Where the reference stands in the object it was read from. */
  readonly field?: string | undefined;
  readonly detail?: string | undefined;
  /** Whether the provider must not go while the dependent exists. */
  readonly blocks: boolean;
}

/** By code, then by name, so that the same cluster always gives the same output. */
export function compareEdges(a: Edge, b: Edge): number {
  return (
    compareText(a.code, b.code) ||
    compareRefs(a.dependent, b.dependent) ||
    compareRefs(a.provider, b.provider) ||
    compareText(a.field ?? '', b.field ?? '')
  );
}
