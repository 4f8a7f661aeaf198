import { deletionOrder, type Edge } from '#pkg/graph';
import { compareRefs, keyOf, type Gap, type ObjectKey, type ObjectRef } from '#pkg/object';
import type { DependencyIndex } from '#pkg/rules';
import { API_VERSION, objectName, type ObjectName } from '#pkg/verdict';
import { objectStatus } from './object-status.ts';

export interface GraphNode extends ObjectName {
  readonly id: string;
  readonly status?: string;
}

export interface GraphEdge {
  /** The dependent. */
  readonly from: string;
  /** The provider it needs. */
  readonly to: string;
  readonly code: string;
  readonly relation: string;
  readonly field?: string;
  readonly blocks: boolean;
}

/** The graph for programs: nodes by id, edges from dependent to provider, and an order in which all could go. */
export interface DependencyGraph {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'DependencyGraph';
  readonly roots?: readonly string[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly gaps: readonly Gap[];
  /** Ids, leaves first: whatever depends on an object stands in an earlier list. */
  readonly deletionOrder: readonly (readonly string[])[];
}

export function graphDocument(
  index: DependencyIndex,
  objects: Iterable<ObjectRef>,
  edges: readonly Edge[],
  gaps: readonly Gap[],
  roots?: readonly ObjectRef[],
): DependencyGraph {
  const refs = new Map<ObjectKey, ObjectRef>();
  for (const ref of objects) refs.set(keyOf(ref), ref);
  for (const { dependent, provider } of edges) {
    refs.set(keyOf(dependent), dependent);
    refs.set(keyOf(provider), provider);
  }
  const sorted = [...refs.values()].sort(compareRefs);
  return {
    apiVersion: API_VERSION,
    kind: 'DependencyGraph',
    ...(roots ? { roots: roots.map(idOf) } : {}),
    nodes: sorted.map((ref) => nodeOf(ref, index)),
    edges: edges.map(edgeOf),
    gaps,
    deletionOrder: deletionOrder(
      sorted,
      edges.filter(({ blocks }) => blocks),
    ).map((level) => level.map(idOf)),
  };
}

function idOf({ group, kind, namespace, name }: ObjectRef): string {
  return [group ? `${kind}.${group}` : kind, ...(namespace ? [namespace] : []), name].join('/');
}

function nodeOf(ref: ObjectRef, index: DependencyIndex): GraphNode {
  const object = index.get(ref);
  const status = object ? objectStatus(object) : '';
  return { id: idOf(ref), ...objectName(ref, index), ...(status ? { status } : {}) };
}

function edgeOf({ dependent, provider, code, relation, field, blocks }: Edge): GraphEdge {
  return { from: idOf(dependent), to: idOf(provider), code, relation, ...(field ? { field } : {}), blocks };
}
