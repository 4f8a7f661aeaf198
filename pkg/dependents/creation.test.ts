import { describe, expect, test } from 'vitest';
import { refOf, textAt, type KubeObject } from '#pkg/object';
import { deleted } from '#test/fakes/dependents-world.ts';
import { deletionOf } from '#test/fakes/usage-world.ts';
import { aPool, aRadosNamespace } from '#test/fixtures/objects.ts';
import { creationHandler } from './creation.ts';

const SIGNAL = new AbortController().signal;
const NEW = aRadosNamespace('n', 'p');

function answerWith(get: () => Promise<KubeObject | undefined>) {
  const { oldObject: _, ...request } = deletionOf(NEW);
  const handler = creationHandler({ providersOf: () => [refOf(aPool('p'))], get });
  return handler({ ...request, operation: 'CREATE', object: NEW }, SIGNAL);
}

describe('a creation', () => {
  test('is refused while its provider is being deleted', async () => {
    const answer = await answerWith(async () => deleted(aPool('p')));
    expect(answer.kind).toBe('forbidden');
    expect(JSON.stringify(answer)).toContain('is being deleted since 2030-01-01T00:00:00Z');
  });

  test('is allowed while its provider lives, and when there is none', async () => {
    expect(await answerWith(async () => aPool('p'))).toEqual({ kind: 'allow' });
    expect(await answerWith(async () => undefined)).toEqual({ kind: 'allow' });
  });

  test('is allowed with a warning when nobody can tell', async () => {
    const answer = await answerWith(() => Promise.reject(new Error('boom')));
    expect(answer).toMatchObject({ kind: 'allow', warnings: [expect.stringContaining('could not tell')] });
  });

  test('or a change is all that is decided on', async () => {
    const handler = creationHandler({ providersOf: () => [], get: async () => undefined });
    expect((await handler(deletionOf(NEW), SIGNAL)).kind).toBe('badRequest');
  });
});

describe('a change', () => {
  function answerTo(before: KubeObject, after: KubeObject) {
    const handler = creationHandler({
      providersOf: (object) => [refOf(aPool(textAt(object, 'spec', 'blockPoolName') ?? ''))],
      get: async () => deleted(aPool('p')),
    });
    const request = { ...deletionOf(before), operation: 'UPDATE' as const, object: after };
    return handler(request, SIGNAL);
  }

  test('that newly points at what is being deleted is refused', async () => {
    expect((await answerTo(aRadosNamespace('n', 'other'), NEW)).kind).toBe('forbidden');
  });

  test('of what pointed there before, or is itself being deleted, is allowed', async () => {
    expect(await answerTo(NEW, NEW)).toEqual({ kind: 'allow' });
    expect(await answerTo(aRadosNamespace('n', 'other'), deleted(NEW))).toEqual({ kind: 'allow' });
  });
});
