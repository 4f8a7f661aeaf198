import type { ResourceType } from '#pkg/object';
import type { Part } from './composite.ts';

export type ProblemReason =
  'InvalidTemplate' | 'UnknownKind' | 'Forbidden' | 'NotOurs' | 'Rejected' | 'DeletionRefused';

export interface Problem {
  readonly reason: ProblemReason;
  readonly message: string;
}

/** What became of one part. Without a part it is no longer one. */
export interface PartOutcome {
  readonly part?: Part | undefined;
  readonly problem?: Problem | undefined;
}

/** How to let the controller write a kind. */
export function grantCommand({ plural, group }: ResourceType): string {
  return `kubectl rook-deps install --compose ${group ? `${plural}.${group}` : plural}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
