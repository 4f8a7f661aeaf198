import type { Answer, AnswerCause, Verdict } from './answer.ts';
import { targetOf, type AdmissionRequest } from './request.ts';
import { safeText } from './review-text.ts';

const MAX_MESSAGE_BYTES = 2048;
const MAX_CAUSES = 500;
const MAX_CAUSE_BYTES = 1024;
/** The API server drops warnings beyond 4 kB in all. */
const MAX_WARNINGS = 8;
const MAX_WARNING_BYTES = 256;
const MAX_ANNOTATION_BYTES = 4096;

type Refusal = Exclude<Answer, { readonly kind: 'allow' }>;

/**
 * Never 429: kubectl repeats it in silence for ten seconds. 503 is shown at once, because the API server asks clients
 * to come back only where `retryAfterSeconds` is set, which is why no answer sets it. The reason is always sent:
 * kubectl prints it in brackets.
 */
const STATUS: Readonly<Record<Refusal['kind'], { readonly code: number; readonly reason: string }>> = {
  badRequest: { code: 400, reason: 'BadRequest' },
  forbidden: { code: 403, reason: 'Forbidden' },
  conflict: { code: 409, reason: 'Conflict' },
  invalid: { code: 422, reason: 'Invalid' },
  failure: { code: 500, reason: 'InternalError' },
  unavailable: { code: 503, reason: 'ServiceUnavailable' },
};

/** The HTTP code that the user's request ends with; 200 for whatever is allowed. */
export function codeOf(verdict: Verdict): number {
  return verdict === 'allow' ? 200 : STATUS[verdict].code;
}

/** The AdmissionReview that carries an answer back. */
export function reviewResponse(request: AdmissionRequest, answer: Answer): object {
  return reviewOf({
    uid: request.uid,
    allowed: answer.kind === 'allow',
    ...(answer.kind !== 'allow' && { status: statusOf(request, answer) }),
    ...(answer.warnings && { warnings: answer.warnings.slice(0, MAX_WARNINGS).map(warningText) }),
    ...(answer.auditAnnotations && { auditAnnotations: annotationsOf(answer.auditAnnotations) }),
  });
}

/** The answer to a review of which no more than the UID could be read. */
export function malformedResponse(uid: string, message: string): object {
  const { code, reason } = STATUS.badRequest;
  const status = { status: 'Failure', code, reason, message: safeText(message, MAX_MESSAGE_BYTES) };
  return reviewOf({ uid, allowed: false, status });
}

function reviewOf(response: object): object {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

function statusOf(request: AdmissionRequest, answer: Refusal): object {
  const details = detailsOf(request, answer);
  return {
    status: 'Failure',
    ...STATUS[answer.kind],
    message: safeText(answer.message, MAX_MESSAGE_BYTES),
    ...(details && { details }),
  };
}

function detailsOf(request: AdmissionRequest, answer: Refusal): object | undefined {
  switch (answer.kind) {
    case 'conflict':
      return { ...(answer.details ?? subjectOf(request)), causes: causesOf(answer.causes) };
    case 'unavailable':
      return answer.causes.length > 0
        ? { ...subjectOf(request), causes: causesOf(answer.causes) }
        : undefined;
    case 'invalid':
      // kubectl shows the causes instead of the message once there are details: without a field, none.
      return answer.field === undefined
        ? undefined
        : { ...subjectOf(request), causes: causesOf([fieldCause(answer.message, answer.field)]) };
    case 'badRequest':
    case 'failure':
    case 'forbidden':
      return undefined;
  }
}

function subjectOf(request: AdmissionRequest): object {
  const { group, kind, name } = targetOf(request);
  const uid = request.oldObject?.metadata.uid;
  return { ...(name && { name }), ...(group && { group }), kind, ...(uid && { uid }) };
}

function fieldCause(message: Refusal['message'], field: string): AnswerCause {
  const text = typeof message === 'string' ? message : message.join(' ');
  return { reason: 'FieldValueInvalid', message: text, field };
}

function causesOf(causes: readonly AnswerCause[]): object[] {
  const listed = causes.slice(0, MAX_CAUSES).map(({ reason, message, field }) => ({
    reason,
    message: safeText(message, MAX_CAUSE_BYTES),
    ...(field !== undefined && { field: safeText(field, MAX_CAUSE_BYTES) }),
  }));
  const left = causes.length - listed.length;
  return left > 0 ? [...listed, { reason: 'More', message: `and ${left} more` }] : listed;
}

function warningText(text: string): string {
  return safeText(text, MAX_WARNING_BYTES);
}

function annotationsOf(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [key, safeText(value, MAX_ANNOTATION_BYTES)]),
  );
}
