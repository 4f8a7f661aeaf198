import { compareEdges, walk, type Edge } from '#pkg/graph';
import {
  compareText,
  isRookKind,
  keyOf,
  refOf,
  type Gap,
  type KubeObject,
  type ObjectKey,
} from '#pkg/object';
import { contentWords, type DependencyIndex } from '#pkg/rules';
import { contentOwners, type ContentOwners } from './content-owners.ts';
import { deletionOf, type OperatorState } from './deletion.ts';
import { destructionAsked } from './destruction.ts';
import { nextSteps } from './next-steps.ts';
import { nameOf, objectName } from './object-name.ts';
import { API_VERSION, type Cause, type DependencyReport, type VerdictKind } from './report.ts';

export interface ContentFound {
  readonly kind: string;
  readonly name: string;
  readonly detail?: string;
}

/** What Ceph told about the subject; see the package that asks it. */
export interface ContentsFound {
  readonly items: readonly ContentFound[];
  readonly gaps: readonly Gap[];
  readonly notes?: readonly string[];
}

export interface Evidence {
  readonly index: DependencyIndex;
  readonly gaps: readonly Gap[];
  readonly contents: ContentsFound;
  readonly operator: OperatorState;
}

/** The one decision: may this object go? All that refers to it, what holds it, and what could not be seen. */
export function judge(subject: KubeObject, evidence: Evidence): DependencyReport {
  const { index, contents } = evidence;
  const escape = destructionAsked(subject, index.objects());
  const edges = index.graph.edgesAt(keyOf(refOf(subject)), 'dependents');
  const holds = (edge: Edge): boolean => edge.blocks && !escape;
  const stored = contentCauses(
    subject,
    contents,
    contentOwners(edges.flatMap(({ dependent }) => index.get(dependent) ?? [])),
  );
  const causes = [...edges.filter(holds).map((edge) => causeOf(edge, index)), ...(escape ? [] : stored)];
  const related = [...edges.filter((edge) => !holds(edge)), ...consumers(edges, index)].sort(compareEdges);
  const gaps = escape ? [] : [...evidence.gaps, ...contents.gaps];
  const notes = [...(escape ? [escape] : []), ...(contents.notes ?? [])];
  const deletion = deletionOf(subject, evidence.operator);
  const findings = {
    subject: nameOf(subject),
    verdict: verdictOf(causes, gaps),
    ...(deletion ? { deletion } : {}),
    causes,
    related: [...related.map((edge) => causeOf(edge, index)), ...(escape ? stored : [])],
    gaps,
    ...(notes.length > 0 ? { notes } : {}),
  };
  return {
    apiVersion: API_VERSION,
    kind: 'DependencyReport',
    ...findings,
    next: nextSteps({ ...findings, lacksCeph: contents.gaps.length > 0 }),
  };
}

function verdictOf(causes: readonly Cause[], gaps: readonly Gap[]): VerdictKind {
  if (causes.length > 0) return 'Blocked';
  return gaps.length > 0 ? 'Unknown' : 'Deletable';
}

function causeOf(edge: Edge, index: DependencyIndex): Cause {
  const detail = edge.detail ? ` (${edge.detail})` : '';
  const dependent = `${edge.dependent.kind} ${qualified(edge.dependent)}`;
  return {
    code: edge.code,
    relation: edge.relation,
    ...(edge.field ? { field: edge.field } : {}),
    message: `${dependent} ${edge.relation} ${edge.provider.kind} ${edge.provider.name}${detail}`,
    object: objectName(edge.dependent, index),
  };
}

function qualified({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return namespace ? `${namespace}/${name}` : name;
}

function contentCauses(
  subject: KubeObject,
  contents: ContentsFound,
  owners: ContentOwners,
): readonly Cause[] {
  const sorted = contents.items.toSorted(
    (a, b) => compareText(a.kind, b.kind) || compareText(a.name, b.name),
  );
  return sorted.map((content) => {
    const { kind, name } = content;
    const { code, relation } = contentWords(kind);
    const owner = owners.ownerOf(content);
    const details = [content.detail, owner && `owned by ${owner.kind} ${qualified(owner)}`].filter(Boolean);
    const detail = details.length > 0 ? ` (${details.join(', ')})` : '';
    return {
      code,
      relation,
      message: `${kind} ${name} ${relation} ${subject.kind} ${subject.metadata.name}${detail}`,
      object: { apiVersion: 'ceph', kind, name },
      ...(owner ? { owner } : {}),
    };
  });
}

/** Who uses the volumes, snapshots and buckets that hang on the subject. Rook's own resources have answers of their own. */
function consumers(edges: readonly Edge[], index: DependencyIndex): readonly Edge[] {
  // The subject itself is known as well: it may be kept by what it keeps.
  const known = new Set<ObjectKey>(
    edges.flatMap(({ dependent, provider }) => [dependent, provider].map(keyOf)),
  );
  const users = edges.filter(({ dependent, blocks }) => blocks && !isRookKind(dependent));
  // One walk from all of them: thousands of volumes would otherwise be thousands of walks.
  const reached = walk(
    index.graph,
    users.map(({ dependent }) => dependent),
    'dependents',
  );
  const found = new Map<string, Edge>();
  for (const edge of reached.edges) {
    if (!known.has(keyOf(edge.dependent)))
      found.set(`${keyOf(edge.dependent)} ${keyOf(edge.provider)} ${edge.code}`, edge);
  }
  return [...found.values()];
}
