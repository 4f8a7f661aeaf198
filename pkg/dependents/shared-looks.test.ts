import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { aPool } from '#test/fixtures/objects.ts';
import { NOTHING, type Finding } from './finding.ts';
import { sharedLooks } from './shared-looks.ts';

const SIGNAL = new AbortController().signal;

function desk() {
  const looks: {
    readonly names: readonly string[];
    end(findings?: readonly Finding[]): void;
    fail(): void;
  }[] = [];
  const lookAtAll = (subjects: readonly KubeObject[], signal: AbortSignal): Promise<readonly Finding[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Finding[]>();
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    looks.push({
      names: subjects.map(({ metadata }) => metadata.name),
      end: (findings = subjects.map(() => NOTHING)) => resolve(findings),
      fail: () => reject(new Error('boom')),
    });
    return promise;
  };
  return { looks, look: sharedLooks(lookAtAll, 1_000) };
}

describe('looks', () => {
  test('of those who ask while one is under way begin after it, together', async () => {
    const { looks, look } = desk();
    const first = look(aPool('a'), SIGNAL);
    const others = [look(aPool('b'), SIGNAL), look(aPool('c'), SIGNAL)];
    expect(looks.map(({ names }) => names)).toEqual([['a']]);
    looks[0]?.end();
    await first;
    await Promise.resolve();
    expect(looks.map(({ names }) => names)).toEqual([['a'], ['b', 'c']]);
    looks[1]?.end();
    expect(await Promise.all(others)).toEqual([NOTHING, NOTHING]);
  });

  test('that fail, fail for all who shared them, and the next begins', async () => {
    const { looks, look } = desk();
    const failed = look(aPool('a'), SIGNAL);
    looks[0]?.fail();
    await expect(failed).rejects.toThrow('boom');
    const next = look(aPool('b'), SIGNAL);
    looks[1]?.end();
    expect(await next).toEqual(NOTHING);
  });

  test('end when nobody waits for them any more, and the next begins', async () => {
    const { looks, look } = desk();
    const [ada, ben] = [new AbortController(), new AbortController()];
    const first = look(aPool('a'), ada.signal);
    const second = look(aPool('b'), SIGNAL);
    const third = look(aPool('c'), ben.signal);
    ada.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await new Promise((resolve) => setImmediate(resolve));
    expect(looks.map(({ names }) => names)).toEqual([['a'], ['b', 'c']]);
    ben.abort(new Error('gone'));
    await expect(third).rejects.toThrow('gone');
    looks[1]?.end();
    expect(await second).toEqual(NOTHING);
  });

  test('are not made for who has gone', async () => {
    const { looks, look } = desk();
    const first = look(aPool('a'), SIGNAL);
    const gone = new AbortController();
    const waiting = look(aPool('b'), gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    looks[0]?.end();
    await first;
    expect(looks).toHaveLength(1);
  });
});
