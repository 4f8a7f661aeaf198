import type { Answer } from './answer.ts';
import type { AdmissionRequest } from './request.ts';

/**
 * Decides on one request. The signal is aborted when the time is up or the API server has gone; whatever is answered
 * after that is not heard. What is thrown becomes a refusal.
 */
export interface AdmissionHandler {
  (request: AdmissionRequest, signal: AbortSignal): Promise<Answer>;
  /** Answered in its place when it fails or takes too long. Absent: a refusal. */
  readonly whenUnsure?: Answer;
}
