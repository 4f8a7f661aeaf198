/** One line, or several of which each is made safe by itself: a name with a line break must not look like a line of ours. */
export type Text = string | readonly string[];

/** One blocker, for programs. `reason` is a stable code. */
export interface AnswerCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** What the causes are about. Absent: the object under review. */
export interface AnswerDetails {
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface Notes {
  /** Shown to the user whatever the verdict: few, short. */
  readonly warnings?: readonly string[];
  /** Kept in the API server's audit log. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** What a handler decides. Each kind has one HTTP code and one reason: see `reviewResponse`. */
export type Answer = Notes &
  (
    | { readonly kind: 'allow' }
    | {
        readonly kind: 'conflict';
        readonly message: Text;
        readonly causes: readonly AnswerCause[];
        readonly details?: AnswerDetails;
      }
    | { readonly kind: 'forbidden'; readonly message: Text }
    | { readonly kind: 'invalid'; readonly message: Text; readonly field?: string }
    | { readonly kind: 'unavailable'; readonly message: Text; readonly causes: readonly AnswerCause[] }
    | { readonly kind: 'badRequest'; readonly message: Text }
    | { readonly kind: 'failure'; readonly message: Text }
  );

export type Verdict = Answer['kind'];

export function allow(notes: Notes = {}): Answer {
  return { kind: 'allow', ...notes };
}

/** The object is in use (409): what blocks it is in the message for people, and complete in the causes for programs. */
export function conflict(
  message: Text,
  causes: readonly AnswerCause[],
  more: Notes & { readonly details?: AnswerDetails } = {},
): Answer {
  return { kind: 'conflict', message, causes, ...more };
}

/** The user may not (403). */
export function forbidden(message: Text, notes: Notes = {}): Answer {
  return { kind: 'forbidden', message, ...notes };
}

/** The object is wrong (422), at `field` if that can be said. */
export function invalid(message: Text, field?: string, notes: Notes = {}): Answer {
  return { kind: 'invalid', message, ...(field !== undefined && { field }), ...notes };
}

/** Nobody can tell now, so the answer is no (503). */
export function unavailable(message: Text, causes: readonly AnswerCause[] = [], notes: Notes = {}): Answer {
  return { kind: 'unavailable', message, causes, ...notes };
}

/** The review is not one that this handler is for (400): the webhook configuration is wrong. */
export function badRequest(message: Text): Answer {
  return { kind: 'badRequest', message };
}

/** A mistake of ours (500). Made by the server when a handler throws. */
export function failure(message: Text): Answer {
  return { kind: 'failure', message };
}
