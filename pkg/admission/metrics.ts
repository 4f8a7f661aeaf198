import type { GroupKind } from '#pkg/object';
import type { Verdict } from './answer.ts';
import type { Operation } from './request.ts';

export interface Decision {
  /** The path that the review came to. */
  readonly path: string;
  readonly verdict: Verdict;
  readonly kind: GroupKind;
  readonly operation: Operation;
  readonly dryRun: boolean;
  readonly durationMs: number;
}

/** Where the server counts. Must not throw. */
export interface AdmissionMetrics {
  decided(decision: Decision): void;
  /** A request that was no review, answered with an HTTP error. */
  turnedAway(status: number): void;
}

export const noMetrics: AdmissionMetrics = { decided: () => undefined, turnedAway: () => undefined };
