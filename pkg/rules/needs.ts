import {
  isRookKind,
  Kinds,
  kindKey,
  KNOWN_TYPES,
  sameKind,
  type GroupKind,
  type KindKey,
  type ObjectRef,
  type ResourceType,
} from '#pkg/object';
import type { Direction } from '#pkg/graph';
import { RULES } from './catalogue.ts';
import type { Rule } from './rule.ts';

/** Objects of one kind that must be looked at to answer a question. */
export interface Need {
  readonly kind: ResourceType;
  /** Absent: in all namespaces. */
  readonly namespace?: string | undefined;
  readonly detail: 'metadata' | 'object';
  readonly labelSelector?: string | undefined;
  /** Only when an object of this kind was found. */
  readonly ifAny?: GroupKind | undefined;
}

/** Where a question starts: one object, or all objects of a kind in a namespace. */
export type Start = GroupKind & Pick<ObjectRef, 'namespace'>;

/** What decides whether an object may go: its direct dependents, and what it takes to recognise them. */
export function needsOfVerdict(starts: Iterable<Start>): readonly Need[] {
  const needs = new NeedList();
  for (const start of starts) addNeedsOfVerdict(needs, start);
  return needs.all();
}

function addNeedsOfVerdict(needs: NeedList, start: Start): void {
  for (const rule of rulesTargeting(start)) {
    for (const kind of rule.names ? [] : kindsRead(rule)) {
      needs.add({
        kind,
        namespace: rule.across ? undefined : start.namespace,
        detail: rule.reading ?? 'object',
      });
    }
    addConsultations(needs, rule, start.namespace);
  }
  for (const need of NEEDS_OF_PROTECTIONS) needs.add(need);
  // Whether the cluster is being destroyed with all it holds.
  if (isRookKind(start)) needs.add({ kind: Kinds.CephCluster, namespace: start.namespace, detail: 'object' });
}

/** Who uses the volumes that hold an object: looked at only when there are any. */
export const NEEDS_OF_CONSUMERS: readonly Need[] = [
  { kind: Kinds.Pod, detail: 'object' },
  { kind: Kinds.VolumeAttachment, detail: 'object' },
];

/** People protect whatever they like. */
export const NEEDS_OF_PROTECTIONS: readonly Need[] = RULES.filter(({ targets }) => targets === 'any')
  .flatMap((rule) => kindsRead(rule).map((kind) => ({ rule, kind })))
  .map(({ rule, kind }) => ({ kind, detail: rule.reading ?? 'object' }));

/** Everything that depends on an object, or that it depends on, however far. */
export function needsOfTree(starts: readonly Start[], direction: Direction): readonly Need[] {
  const needs = new NeedList();
  const seen = new Set<string>();
  const pending: (Start & Pick<Need, 'ifAny'>)[] = [...starts];
  for (let at = pending.pop(); at; at = pending.pop()) {
    const key = `${kindKey(at)} ${at.namespace ?? ''}`;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const { rule, kind, namespace } of direction === 'dependents' ? stepsDown(at) : stepsUp(at)) {
      const ifAny =
        direction === 'dependents' && !starts.includes(at) ? (at.ifAny ?? rareProvider(at)) : undefined;
      needs.add({ kind, namespace, detail: 'object', ifAny });
      // What a reference resolves to lives where the provider does: downwards that is known, upwards it is looked for.
      addConsultations(needs, rule, direction === 'dependents' ? at.namespace : namespace);
      pending.push({ group: kind.group, kind: kind.kind, namespace, ifAny });
    }
  }
  // Daemons show whether what is above them runs; they are found by their owner references.
  if (direction === 'dependents') {
    for (const { namespace } of starts) needs.add({ kind: Kinds.Deployment, namespace, detail: 'object' });
  }
  return needs.all();
}

/** Kinds that are asked for by name, or for drains: no edge begins or ends there. */
const OUTSIDE_GRAPH: readonly GroupKind[] = [
  Kinds.Secret,
  Kinds.ConfigMap,
  Kinds.Service,
  Kinds.Deployment,
  Kinds.Node,
  Kinds.PodDisruptionBudget,
];

/** Every kind that a rule reads. */
export function needsOfGraph(namespace: string | undefined): readonly Need[] {
  const needs = new NeedList();
  for (const kind of KNOWN_TYPES) {
    if (OUTSIDE_GRAPH.includes(kind)) continue;
    const everywhere =
      !isRookKind(kind) || RULES.some((rule) => rule.across && kindsRead(rule).includes(kind));
    needs.add({ kind, namespace: everywhere ? undefined : namespace, detail: 'object' });
  }
  for (const rule of RULES) addConsultations(needs, rule, namespace);
  return needs.all();
}

/** Most clusters have no snapshots and no COSI buckets: who uses them is looked for only where there are any. */
function rareProvider({ group, kind }: Start): GroupKind | undefined {
  return [Kinds.VolumeSnapshotContent, Kinds.CosiBucket].find((rare) => sameKind(rare, { group, kind }));
}

interface Step {
  readonly rule: Rule;
  readonly kind: ResourceType;
  readonly namespace: string | undefined;
}

function* stepsDown(from: Start): Iterable<Step> {
  for (const rule of rulesTargeting(from)) {
    const namespace = rule.across ? undefined : from.namespace;
    for (const kind of rule.names ? [rule.names] : kindsRead(rule)) {
      yield { rule, kind, namespace: kind.namespaced ? namespace : undefined };
    }
  }
}

function* stepsUp(from: Start): Iterable<Step> {
  for (const rule of RULES) {
    const dependents = rule.names ? [rule.names] : kindsRead(rule);
    if (rule.targets === 'any' || !dependents.some((kind) => sameKind(kind, from))) continue;
    for (const kind of rule.targets) {
      yield { rule, kind, namespace: rule.across || !kind.namespaced ? undefined : from.namespace };
    }
  }
}

function rulesTargeting(kind: GroupKind): readonly Rule[] {
  return RULES.filter(
    (rule) => rule.targets !== 'any' && rule.targets.some((target) => sameKind(target, kind)),
  );
}

function kindsRead(rule: Rule): readonly ResourceType[] {
  return rule.reads === 'any' ? [] : rule.reads;
}

function addConsultations(needs: NeedList, rule: Rule, namespace: string | undefined): void {
  for (const { kind, across, reading, labelSelector, ifAny } of rule.consults ?? []) {
    needs.add({
      kind,
      namespace: across ? undefined : namespace,
      detail: reading ?? 'object',
      labelSelector,
      ifAny,
    });
  }
}

/** One need a kind: the widest of all that were added. */
class NeedList {
  readonly #needs = new Map<KindKey, Need>();

  add(need: Need): void {
    const key = kindKey(need.kind);
    const known = this.#needs.get(key);
    const own = need.kind.namespaced ? need : { ...need, namespace: undefined };
    this.#needs.set(key, known ? wider(known, own) : own);
  }

  all(): readonly Need[] {
    return [...this.#needs.values()];
  }
}

function wider(a: Need, b: Need): Need {
  return {
    kind: a.kind,
    namespace: a.namespace === b.namespace ? a.namespace : undefined,
    detail: a.detail === b.detail ? a.detail : 'object',
    labelSelector: a.labelSelector === b.labelSelector ? a.labelSelector : undefined,
    ifAny: a.ifAny && b.ifAny && sameKind(a.ifAny, b.ifAny) ? a.ifAny : undefined,
  };
}
