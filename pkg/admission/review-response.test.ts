import { describe, expect, test } from 'vitest';
import { fieldAt, listAt, textAt } from '#pkg/object';
import {
  allow,
  badRequest,
  conflict,
  failure,
  forbidden,
  invalid,
  unavailable,
  type Answer,
} from './answer.ts';
import { parseReview } from './parse-review.ts';
import { reviewResponse } from './review-response.ts';
import { aReview } from './testing/reviews.ts';

const request = parseReview(aReview());

function response(answer: Answer): unknown {
  return fieldAt(reviewResponse(request, answer), 'response');
}

function messageOf(answer: Answer): string {
  return textAt(response(answer), 'status', 'message') ?? '';
}

describe('an answer', () => {
  test('that allows says no more than it must', () => {
    expect(reviewResponse(request, allow())).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'review-1', allowed: true },
    });
  });

  test.for<{ answer: Answer; code: number; reason: string }>([
    { answer: badRequest('m'), code: 400, reason: 'BadRequest' },
    { answer: forbidden('m'), code: 403, reason: 'Forbidden' },
    { answer: conflict('m', []), code: 409, reason: 'Conflict' },
    { answer: invalid('m'), code: 422, reason: 'Invalid' },
    { answer: failure('m'), code: 500, reason: 'InternalError' },
    { answer: unavailable('m'), code: 503, reason: 'ServiceUnavailable' },
  ])('$answer.kind is $code $reason', ({ answer, code, reason }) => {
    const status = { status: 'Failure', code, reason, message: 'm' };
    expect(response(answer)).toMatchObject({ uid: 'review-1', allowed: false, status });
    expect(fieldAt(response(answer), 'status', 'details', 'retryAfterSeconds')).toBeUndefined();
  });

  test('names the object that the causes are about', () => {
    const causes = [{ reason: 'RD001', message: 'in use', field: 'spec.pool' }];
    const details = { name: 'settings', kind: 'ConfigMap', uid: 'o1', causes };
    expect(response(conflict('m', causes))).toMatchObject({ status: { details } });
    const other = { group: 'g', kind: 'K', name: 'n' };
    expect(fieldAt(response(conflict('m', causes, { details: other })), 'status', 'details')).toEqual({
      ...other,
      causes,
    });
  });

  test('that is invalid at a field says so in a cause, which is all that kubectl then shows', () => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'm', field: 'spec.of' }];
    expect(response(invalid('m', 'spec.of'))).toMatchObject({ status: { details: { causes } } });
    expect(fieldAt(response(invalid('m')), 'status', 'details')).toBeUndefined();
  });

  test('has all causes up to 500, and then says how many more', () => {
    const causes = Array.from({ length: 502 }, (_, index) => ({ reason: 'RD001', message: `m${index}` }));
    const listed = listAt(response(conflict('m', causes)), 'status', 'details', 'causes');
    expect(listed).toHaveLength(501);
    expect(listed.at(-1)).toEqual({ reason: 'More', message: 'and 2 more' });
    expect(listAt(response(conflict('m', causes.slice(0, 500))), 'status', 'details', 'causes')).toEqual(
      causes.slice(0, 500),
    );
  });
});

describe('text', () => {
  test('of 2048 bytes stays, and a byte more is cut between characters', () => {
    expect(messageOf(forbidden('x'.repeat(2048)))).toBe('x'.repeat(2048));
    const cut = messageOf(forbidden('x' + 'ü'.repeat(1024)));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(2048);
    expect(cut).toBe('x' + 'ü'.repeat(1022) + '…');
  });

  test('cannot write to a terminal, nor begin a line of its own', () => {
    expect(messageOf(forbidden('a\u001b[31mb\nError from server\r\u202e'))).toBe(
      'a^[[31mb\\nError from server\\r\\u202e',
    );
    expect(messageOf(forbidden(['first', 'sec\nond']))).toBe('first\nsec\\nond');
  });

  const listed = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => `- ${at} ${'x'.repeat(60)}`);

  test('of many lines leaves out what is listed, counts it, and keeps the ways out', () => {
    const ways = ['Rights are given by: install', 'Whoever may force-delete it', 'See: why'];
    const lines = ['heading:', ...listed(60), '- +40 more', ...ways];
    const shown = messageOf(conflict(lines, [])).split('\n');
    expect(shown.slice(0, 2)).toEqual(['heading:', `- 0 ${'x'.repeat(60)}`]);
    expect(shown.slice(-4)).toEqual([`- +${100 - (shown.length - 5)} more`, ...ways]);
    expect(shown.length).toBeGreaterThan(30);
    expect(Buffer.byteLength(shown.join('\n'))).toBeLessThanOrEqual(2048);
  });

  test('of two lists shortens the longer one', () => {
    const lines = ['one:', ...listed(3), 'other:', ...listed(40), 'See: why'];
    const shown = messageOf(conflict(lines, [])).split('\n');
    expect(shown.slice(0, 5)).toEqual(['one:', ...listed(3), 'other:']);
    expect(shown.at(-2)).toBe(`- +${40 - (shown.length - 7)} more`);
  });

  test('of too many other lines keeps the last, which says what to do next', () => {
    const lines = [...Array.from({ length: 60 }, (_, at) => `${at} ${'x'.repeat(60)}`), 'See: why'];
    const shown = messageOf(conflict(lines, [])).split('\n');
    expect(shown.slice(-2)).toEqual(['…', 'See: why']);
    expect(Buffer.byteLength(shown.join('\n'))).toBeLessThanOrEqual(2048);
  });

  test('of one endless line leaves room for the others', () => {
    const shown = messageOf(conflict(['heading:', 'x'.repeat(5000), 'See: why'], [])).split('\n');
    expect(shown[1]).toHaveLength(510);
    expect(shown[2]).toBe('See: why');
  });

  test('with half a surrogate pair is still text', () => {
    expect(messageOf(forbidden('a\ud800b'))).toBe('a\ufffdb');
  });

  test('of warnings is few, short, single lines', () => {
    const warnings = ['a\nb', 'x'.repeat(300), ...Array.from({ length: 10 }, () => 'w')];
    const sent = listAt(response(allow({ warnings })), 'warnings');
    expect(sent).toHaveLength(8);
    expect(sent[0]).toBe('a\\nb');
    expect(Buffer.byteLength(String(sent[1]))).toBeLessThanOrEqual(256);
  });

  test('of audit annotations is kept under its key', () => {
    const answer = allow({ auditAnnotations: { forced: 'by\nalice' } });
    expect(response(answer)).toMatchObject({ auditAnnotations: { forced: 'by\\nalice' } });
  });
});
