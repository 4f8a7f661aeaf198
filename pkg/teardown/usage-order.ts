import type { Edge } from '#pkg/graph';
import { groupOf, keyOf, textAt, type KubeObject, type ObjectRef } from '#pkg/object';
import type { DependencyIndex } from '#pkg/rules';
import type { Obstacle } from './plan.ts';
import type { Reached } from './reach.ts';
import { roleOf } from './roles.ts';

export interface UsageOrder {
  readonly edges: readonly Edge[];
  readonly obstacles: readonly Obstacle[];
}

/**
 * What usages ask for: where what uses an object goes too, it goes first, and the usage with it; any other usage is in
 * the way.
 */
export function usageEdges(index: DependencyIndex, reached: Reached): UsageOrder {
  const edges: Edge[] = [];
  const obstacles: Obstacle[] = [];
  const held = [...reached.planned.keys(), ...reached.owned.keys()].flatMap((key) =>
    index.graph.edgesAt(key, 'dependents').filter(({ dependent }) => roleOf(dependent) === 'protection'),
  );
  for (const edge of held) {
    const usage = index.get(edge.dependent);
    const using = usage && usingOf(usage, index);
    const isGoing = using && reached.rootOf(keyOf(using)) !== undefined;
    // Part of a whole that goes: it waits for what uses the object by itself.
    const goesToo = reached.owned.has(keyOf(edge.dependent));
    if (isGoing) edges.push({ ...edge, dependent: using });
    else if (!goesToo) {
      const message = `${edge.relation} ${edge.provider.kind}/${edge.provider.name}${edge.detail ? ` (${edge.detail})` : ''}`;
      obstacles.push({ kind: 'protection', object: edge.dependent, message, code: edge.code });
    }
  }
  return { edges, obstacles };
}

function usingOf(usage: KubeObject, index: DependencyIndex): ObjectRef | undefined {
  const kind = textAt(usage, 'spec', 'by', 'kind');
  const name = textAt(usage, 'spec', 'by', 'resourceRef', 'name');
  if (!kind || !name) return undefined;
  const type = { group: groupOf(textAt(usage, 'spec', 'by', 'apiVersion') ?? ''), kind };
  const namespace = textAt(usage, 'spec', 'by', 'resourceRef', 'namespace') ?? usage.metadata.namespace;
  const namespaced = { ...type, namespace, name };
  return namespace && index.get(namespaced) ? namespaced : { ...type, name };
}
