import type { Gap, KubeObject } from '#pkg/object';
import {
  shortName,
  type ClusterDrain,
  type DrainCause,
  type DrainVerdict,
  type MaintenanceNote,
} from '#pkg/verdict';
import type { ClusterLook } from './cluster-look.ts';

export interface DrainFindings {
  readonly node: KubeObject;
  readonly verdict: DrainVerdict;
  readonly causes: readonly DrainCause[];
  readonly gaps: readonly Gap[];
  readonly clusters: readonly ClusterDrain[];
  readonly looks: readonly ClusterLook[];
  /** What is left on the node. */
  readonly pods: readonly KubeObject[];
  readonly maintenance?: MaintenanceNote;
  readonly otherMaintenances: readonly MaintenanceNote[];
}

const MAX_SUGGESTIONS = 3;

/** Commands to copy. */
export function drainSteps(findings: DrainFindings): readonly string[] {
  const { node, verdict, causes, gaps, pods } = findings;
  const name = node.metadata.name;
  const isCordoned =
    (node['spec'] as { readonly unschedulable?: unknown } | undefined)?.unschedulable === true;
  switch (verdict) {
    case 'Blocked':
      return [
        ...maintenanceSteps(findings),
        ...drainingNodes(findings),
        ...budgetSteps(causes),
        ...explain(causes),
      ];
    case 'Unknown':
      return gaps.some(({ what }) => what.startsWith('placement groups'))
        ? ['kubectl rook-deps explain RD027']
        : [];
    case 'Drainable': {
      const steps = maintenanceSteps(findings);
      if (steps.length > 0) return steps;
      return isCordoned && pods.length === 0
        ? [`kubectl uncordon ${name}`]
        : [
            `kubectl rook-deps maintenance start ${name}`,
            `kubectl drain ${name} --ignore-daemonsets --delete-emptydir-data`,
          ];
    }
  }
}

/** There is nothing more to evict. */
const OVER = ['Ready', 'Succeeded', 'Expired', 'Failed'];

/** Who is in a maintenance comes out of it by its end, and not by an uncordon or another drain. */
function maintenanceSteps({ maintenance, otherMaintenances }: DrainFindings): readonly string[] {
  const isOver = maintenance && OVER.includes(maintenance.phase) && !maintenance.isStopping;
  const nodes = [...(maintenance ? [maintenance] : []), ...otherMaintenances].map(({ node }) => node);
  return [
    ...nodes.slice(0, MAX_SUGGESTIONS).map((node) => `kubectl rook-deps maintenance status ${node}`),
    ...(isOver ? [`kubectl rook-deps maintenance stop ${maintenance.node}`] : []),
  ];
}

/** The nodes that everybody waits for. */
function drainingNodes({ node, looks, otherMaintenances }: DrainFindings): readonly string[] {
  const told = [node.metadata.name, ...otherMaintenances.map((other) => other.node)];
  const names = looks.flatMap(({ picture: { osds, draining } }) =>
    osds.flatMap((osd) => (osd.isDown && osd.domain === draining ? (osd.node ?? []) : [])),
  );
  return [...new Set(names)]
    .filter((name) => !told.includes(name))
    .slice(0, MAX_SUGGESTIONS)
    .map((name) => `kubectl rook-deps why node/${name}`);
}

function budgetSteps(causes: readonly DrainCause[]): readonly string[] {
  const budgets = causes.filter(({ code }) => code === 'RD071' || code === 'RD072');
  return budgets
    .slice(0, MAX_SUGGESTIONS)
    .map(({ object }) => `kubectl describe ${shortName(object)} -n ${object.namespace ?? ''}`);
}

function explain(causes: readonly DrainCause[]): readonly string[] {
  return [...new Set(causes.map(({ code }) => `kubectl rook-deps explain ${code}`))].slice(
    0,
    MAX_SUGGESTIONS,
  );
}
