import { isConflict, isForbidden, numberAt, textAt, type ResourceType } from '#pkg/object';
import type { Part } from './composite.ts';

export type ProblemReason =
  | 'InvalidTemplate'
  | 'UnknownKind'
  | 'NamespaceNotFound'
  | 'Forbidden'
  | 'NotOurs'
  | 'Rejected'
  | 'DeletionRefused';

export interface Problem {
  readonly reason: ProblemReason;
  readonly message: string;
}

/** What became of one part. Without a part it is no longer one. */
export interface PartOutcome {
  readonly part?: Part | undefined;
  readonly problem?: Problem | undefined;
}

/** What the server has against a write that would fail again; undefined for what may pass by itself. */
export function refusalOf(error: unknown, type: ResourceType): Problem | undefined {
  const message = messageOf(error);
  switch (numberAt(error, 'status')) {
    case 400:
    case 422:
      return { reason: 'Rejected', message };
    case 403:
      return lacksRight(error)
        ? { reason: 'Forbidden', message: `${message} (grant it: ${grantCommand(type)})` }
        : { reason: 'Rejected', message };
    case 404: {
      const [, namespace] = /^namespaces "(.*)" not found$/.exec(message) ?? [];
      const hint = `(make it: kubectl create namespace ${namespace})`;
      return namespace ? { reason: 'NamespaceNotFound', message: `${message} ${hint}` } : undefined;
    }
    case 409:
      return isDenied(error) ? { reason: 'Rejected', message } : undefined;
    default:
      return undefined;
  }
}

/** Admission forbids as well, and no grant helps against that. */
export function lacksRight(error: unknown): boolean {
  return isForbidden(error) && / cannot \w+ resource /.test(messageOf(error));
}

/** Refused by a rule or a webhook, and not for a version that is no longer right. */
export function isDenied(error: unknown): boolean {
  return isForbidden(error) || (isConflict(error) && messageOf(error).includes('denied the request'));
}

/** How to let the controller write a kind. */
export function grantCommand({ plural, group }: ResourceType): string {
  return `kubectl rook-deps install --compose ${group ? `${plural}.${group}` : plural}`;
}

/** In the server's own words, where it answered. */
export function messageOf(error: unknown): string {
  const said = textAt(error, 'serverMessage');
  if (said) return said;
  return error instanceof Error ? error.message : String(error);
}
