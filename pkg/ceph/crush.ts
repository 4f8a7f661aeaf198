import { fieldAt, textAt } from '#pkg/object';
import { requiredList, requiredNumber, requiredNumbers, requiredText } from './answers.ts';

/** One step of a rule, as far as it says over what copies are spread. */
export interface CrushStep {
  /** `take`, `chooseleaf_firstn`, … */
  readonly op: string;
  /** The type of bucket that a choice is made of. */
  readonly type?: string;
  /** How many are chosen; 0 is as many as there are copies. */
  readonly count: number;
}

export interface CrushRule {
  readonly id: number;
  readonly name: string;
  readonly steps: readonly CrushStep[];
}

/** `ceph osd crush rule dump`. */
export function parseCrushRules(answer: unknown): readonly CrushRule[] {
  return requiredList(answer).map((rule) => ({
    id: requiredNumber(rule, 'rule_id'),
    name: requiredText(rule, 'rule_name'),
    steps: requiredList(rule, 'steps').map(parseStep),
  }));
}

function parseStep(step: unknown): CrushStep {
  const type = textAt(step, 'type');
  const count = fieldAt(step, 'num');
  return {
    op: requiredText(step, 'op'),
    ...(type ? { type } : {}),
    count: typeof count === 'number' ? count : 0,
  };
}

/** A bucket or an OSD of the CRUSH map. */
export interface CrushNode {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  /** The height in the hierarchy: 0 is an OSD, 1 a host, … */
  readonly level: number;
  readonly children: readonly number[];
}

/** `ceph osd tree`: the hierarchy. Its order of levels is the cluster's own, which may know types of its own. */
export interface CrushTree {
  readonly nodes: readonly CrushNode[];
  /** OSDs that have no place. */
  readonly strays: readonly number[];
}

export function parseCrushTree(answer: unknown): CrushTree {
  return {
    nodes: requiredList(answer, 'nodes').map((node) => ({
      id: requiredNumber(node, 'id'),
      name: requiredText(node, 'name'),
      type: requiredText(node, 'type'),
      level: requiredNumber(node, 'type_id'),
      children: fieldAt(node, 'children') === undefined ? [] : requiredNumbers(node, 'children'),
    })),
    strays: requiredList(answer, 'stray').map((node) => requiredNumber(node, 'id')),
  };
}
