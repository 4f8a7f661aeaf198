import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#pkg/clock';
import type { Logger } from '#pkg/log';
import { keyOf } from '#pkg/object';
import type { Answer } from './answer.ts';
import { readBody, type Body, type Memory } from './body.ts';
import { decide, TimeIsUp } from './decide.ts';
import type { Limiter } from '#pkg/kube';
import type { AdmissionHandler } from './handler.ts';
import type { Limits } from './limits.ts';
import type { AdmissionMetrics } from './metrics.ts';
import { MalformedReview, parseReview } from './parse-review.ts';
import { targetOf, type AdmissionRequest } from './request.ts';
import { codeOf, malformedResponse, reviewResponse } from './review-response.ts';
import { timeLimitMs } from './time-limit.ts';

/** What all exchanges of a server share. */
export interface Desk {
  readonly handlers: ReadonlyMap<string, AdmissionHandler>;
  /** The path of a handler from that of a request; undefined without the token. */
  readonly unlock: (path: string) => string | undefined;
  readonly limits: Limits;
  readonly memory: Memory;
  readonly gate: Limiter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: AdmissionMetrics;
  /** True when the server is about to stop: clients then open new connections, which lead elsewhere. */
  readonly isLeaving: () => boolean;
}

/** An HTTP answer that is not a review. */
class TurnedAway extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'TurnedAway';
    this.status = status;
  }
}

const BODY_PROBLEMS: Readonly<Record<Exclude<Body['kind'], 'whole' | 'gone'>, TurnedAway>> = {
  slow: new TurnedAway(408, 'the request did not arrive in time'),
  large: new TurnedAway(413, 'the review is larger than any object can be'),
  busy: new TurnedAway(503, 'too many reviews are being read'),
};

/** Answers one HTTP request. Never rejects; the client that went away gets no answer. */
export async function serve(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const startedMs = desk.clock.now();
  try {
    const { path, handler, limitMs } = route(desk, request);
    const review = await withTimeLimit(desk.clock, limitMs, response, (signal) =>
      answerReview(desk, { path, handler, startedMs }, request, signal),
    );
    if (review) send(response, 200, review, desk.isLeaving());
  } catch (error) {
    const { status, message } =
      error instanceof TurnedAway ? error : new TurnedAway(500, 'cannot answer this request');
    desk.logger.error('turned a request away', { status, err: error });
    desk.metrics.turnedAway(status);
    const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message };
    send(response, status, body, desk.isLeaving());
  }
}

interface Route {
  readonly path: string;
  readonly handler: AdmissionHandler;
  readonly limitMs: number;
}

function route({ handlers, unlock }: Pick<Desk, 'handlers' | 'unlock'>, request: IncomingMessage): Route {
  // Not `new URL`: a request target may be anything, and only what comes before the query names a handler.
  const [target = '', query] = (request.url ?? '').split('?', 2);
  // From here on without the token, which must not get into logs.
  const path = unlock(target) ?? '';
  const handler = handlers.get(path);
  if (!handler) throw new TurnedAway(404, 'there is no webhook at this path');
  if (request.method !== 'POST') throw new TurnedAway(405, 'reviews are sent with POST');
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new TurnedAway(415, 'reviews are sent as application/json');
  }
  return { path, handler, limitMs: timeLimitMs(new URLSearchParams(query).get('timeout')) };
}

/** Gives `work` a signal that ends with the time limit or with the connection, whichever comes first. */
async function withTimeLimit<T>(
  clock: Clock,
  limitMs: number,
  response: ServerResponse,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const done = new AbortController();
  const onClose = (): void => ending.abort(new Error('the client has gone'));
  response.once('close', onClose);
  clock.sleep(limitMs, done.signal).then(
    () => ending.abort(new TimeIsUp(limitMs)),
    () => undefined,
  );
  try {
    return await work(ending.signal);
  } finally {
    response.off('close', onClose);
    done.abort();
  }
}

async function answerReview(
  desk: Desk,
  { path, handler, startedMs }: Pick<Route, 'path' | 'handler'> & { readonly startedMs: number },
  message: IncomingMessage,
  signal: AbortSignal,
): Promise<object | undefined> {
  const { body, release } = readBody(message, desk.limits.bodyBytes, desk.memory, signal);
  try {
    const read = await body;
    if (read.kind === 'gone') return undefined;
    if (read.kind !== 'whole') throw BODY_PROBLEMS[read.kind];
    const request = parseReview(parseJson(read.bytes));
    const logger = desk.logger.with({ requestId: request.uid });
    const answer = await decide(handler, request, desk.gate, logger, signal);
    const review = reviewResponse(request, answer);
    report({ ...desk, logger }, path, request, answer, desk.clock.now() - startedMs);
    return review;
  } catch (error) {
    if (!(error instanceof MalformedReview)) throw error;
    if (error.uid === undefined) throw new TurnedAway(400, error.message);
    desk.logger.error('malformed review', { requestId: error.uid, err: error });
    desk.metrics.turnedAway(400);
    return malformedResponse(error.uid, error.message);
  } finally {
    release();
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new TurnedAway(400, 'the body is not JSON');
  }
}

function report(
  { logger, metrics }: Pick<Desk, 'logger' | 'metrics'>,
  path: string,
  request: AdmissionRequest,
  answer: Answer,
  durationMs: number,
): void {
  const { operation, dryRun } = request;
  const target = targetOf(request);
  const verdict = answer.kind;
  logger.info('admission', {
    path,
    operation,
    object: keyOf(target),
    user: request.userInfo.username,
    dryRun,
    verdict,
    code: codeOf(verdict),
    durationMs,
  });
  metrics.decided({
    path,
    verdict,
    kind: { group: target.group, kind: target.kind },
    operation,
    dryRun,
    durationMs,
  });
}

function send(response: ServerResponse, status: number, answer: object, isLast: boolean): void {
  if (response.destroyed || response.headersSent) return;
  const body = JSON.stringify(answer);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(status === 405 && { allow: 'POST' }),
    ...(isLast && { connection: 'close' }),
  });
  response.end(body);
}
