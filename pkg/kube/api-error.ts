import { fieldAt, isRecord, listAt, numberAt, textAt, UserError } from '#pkg/object';

interface Facts {
  readonly status: number;
  readonly reason: string;
  readonly details?: unknown;
  readonly serverMessage?: string | undefined;
  readonly cause?: unknown;
}

/** A request that failed; the message is the line that kubectl prints for it. */
export class ApiError extends UserError {
  /** Of the HTTP answer; 0 when none came. */
  readonly status: number;
  /** `NotFound`, `Forbidden`, …: the reason of the server's Status, or empty. */
  readonly reason: string;
  /** Of the server's Status: causes, retryAfterSeconds and so on. */
  readonly details: unknown;
  /** What the server itself said, without kubectl's preface. */
  readonly serverMessage: string;

  constructor(message: string, { status, reason, details, serverMessage, cause }: Facts) {
    super(message, { cause });
    this.name = 'ApiError';
    this.status = status;
    this.reason = reason;
    this.details = details;
    this.serverMessage = serverMessage ?? message;
  }

  static unreachable(message: string, cause?: unknown): ApiError {
    return new ApiError(message, { status: 0, reason: '', cause });
  }

  /** No answer came at all: other requests will fare no better. */
  get isUnreachable(): boolean {
    return this.status === 0;
  }
}

/** An error that came over a working connection, and so concerns one request only. */
export function isAnswer(error: unknown): error is ApiError {
  return error instanceof ApiError && !error.isUnreachable;
}

/** In the address of a webhook that could not be called: who may call it is no matter of logs and terminals. */
const WEBHOOK_TOKEN = /\/[0-9a-f]{64}(?=\?timeout=)/g;

/** The error of an answer whose status is not 2xx. */
export function apiErrorOf(
  answer: { readonly status: number; readonly body: string },
  method: string,
): ApiError {
  const body = answer.body.replace(WEBHOOK_TOKEN, '/…');
  const status = statusObject(body) ?? genericStatus({ ...answer, body }, method);
  const code = numberAt(status, 'code') ?? answer.status;
  const reason = textAt(status, 'reason') ?? '';
  const serverMessage = textAt(status, 'message') ?? 'unknown';
  const details = fieldAt(status, 'details');
  const facts = { status: code, reason, details, serverMessage };
  return new ApiError(wording(reason, serverMessage, facts.details), facts);
}

function wording(reason: string, message: string, details: unknown): string {
  if (reason === 'Unauthorized') return `error: You must be logged in to the server (${message})`;
  if (reason === 'Invalid') return invalidWording(message, details);
  return reason === '' ? `Error from server: ${message}` : `Error from server (${reason}): ${message}`;
}

function invalidWording(message: string, details: unknown): string {
  const causes = new Set(
    listAt(details, 'causes').map(
      (cause) => `${textAt(cause, 'field') ?? ''}: ${textAt(cause, 'message') ?? ''}`,
    ),
  );
  const kind = textAt(details, 'kind');
  const name = textAt(details, 'name');
  const subject = kind || name ? `The ${kind ?? ''} "${name ?? ''}" is invalid` : 'The request is invalid';
  if (causes.size > 0) return `${subject}: ${[...causes].join('; ')}`;
  return kind || name ? subject : `${subject}: ${message}`;
}

function statusObject(body: string): Record<string, unknown> | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) && value['kind'] === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}

const GENERIC: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  409: ['Conflict', 'the server reported a conflict'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

/** For answers of gateways and load balancers, which know nothing of Status objects. */
function genericStatus(
  { status, body }: { readonly status: number; readonly body: string },
  method: string,
): unknown {
  const text = body.slice(0, 2048).trim() || 'unknown';
  if (status === 409 && method === 'POST') return { reason: 'AlreadyExists', message: GENERIC[409]?.[1] };
  const known = GENERIC[status];
  if (known) return { reason: known[0], message: known[1] };
  if (status === 403) return { reason: 'Forbidden', message: text };
  if (status === 406) return { reason: 'NotAcceptable', message: text };
  if (status === 415) return { reason: 'UnsupportedMediaType', message: text };
  if (status === 422) return { reason: 'Invalid', message: text };
  if (status >= 500) {
    const message = `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
    return { reason: 'InternalError', message };
  }
  return {
    message: `the server responded with the status code ${status} but did not return more information`,
  };
}
