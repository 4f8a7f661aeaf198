import { isRecord, listAt, numberAt, textAt, type KubeObject } from '#pkg/object';
import { MANAGED_BY, MANAGER, PURPOSE, type BudgetOwner } from './budgets.ts';
import type { NooutRecord } from './noout.ts';

/** What must survive us: kept in a ConfigMap beside the cluster, written before what it tells of is done. */
export interface DisruptionState {
  /** The type of failure domain that Ceph's rules last asked for. */
  readonly type?: string;
  readonly draining?: string;
  readonly noout: readonly NooutRecord[];
}

export const STATE_NAME = 'rook-deps-disruption';
const KEY = 'state.json';
const PHASES: readonly string[] = ['setting', 'set', 'expired'];

export const NO_STATE: DisruptionState = { noout: [] };

/** What somebody has broken reads as nothing, except that flags of ours are never forgotten half. */
export function parseState(configMap: KubeObject | undefined): DisruptionState {
  const parsed = parsedJson(textAt(configMap, 'data', KEY) ?? '');
  const type = textAt(parsed, 'type');
  const draining =
    isRecord(parsed) && typeof parsed['draining'] === 'string' ? parsed['draining'] : undefined;
  return {
    ...(type ? { type } : {}),
    ...(draining === undefined ? {} : { draining }),
    noout: listAt(parsed, 'noout').flatMap(parseRecord),
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function parseRecord(value: unknown): readonly NooutRecord[] {
  const domain = textAt(value, 'domain');
  const since = numberAt(value, 'since');
  const phase = textAt(value, 'phase');
  if (domain === undefined || since === undefined || phase === undefined || !PHASES.includes(phase))
    return [];
  return [{ domain, since, phase: phase as NooutRecord['phase'] }];
}

export function stateObject(state: DisruptionState, { namespace, reference }: BudgetOwner): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: STATE_NAME,
      namespace,
      labels: { [MANAGED_BY]: MANAGER, [PURPOSE]: 'state' },
      ownerReferences: [reference],
    },
    data: { [KEY]: JSON.stringify(state) },
  };
}

export function sameState(a: DisruptionState, b: DisruptionState): boolean {
  return (
    a.type === b.type && a.draining === b.draining && JSON.stringify(a.noout) === JSON.stringify(b.noout)
  );
}
