import { describe, expect, test } from 'vitest';
import { deletionHandler, type AdmissionRequest, type Answer } from '#pkg/admission';
import type { KubeObject } from '#pkg/object';
import type { Attempt } from '#pkg/protection';
import { configMap, deletionOf, MARKED, namespace, side, SIGNAL, usage } from '#test/fakes/usage-world.ts';
import { usageGuard, type UsageGuardPorts } from './usage-guard.ts';
import type { Usage } from './usage.ts';

const USED = configMap('used', { uid: 'u', labels: MARKED });
const HELD = usage({ of: side('used'), reason: 'needed' });

interface Situation {
  readonly cached?: readonly Usage[];
  readonly live?: readonly Usage[] | Error;
}

class Hearing {
  readonly attempts: { readonly usages: readonly Usage[]; readonly attempt: Attempt }[] = [];
  lookups = 0;
  readonly #ports: UsageGuardPorts;

  constructor({ cached = [], live = [] }: Situation = {}) {
    this.#ports = {
      cachedUsages: () => cached,
      allUsages: async () => {
        this.lookups++;
        if (live instanceof Error) throw live;
        return live;
      },
      recordAttempt: async (usages, attempt) => void this.attempts.push({ usages, attempt }),
      now: () => Date.UTC(2030, 0, 1),
    };
  }

  answer(object: KubeObject = USED, more: Partial<AdmissionRequest> = {}): Promise<Answer> {
    const ports = { mayForce: async () => false, record: async () => undefined, notNoted: () => undefined };
    return deletionHandler([usageGuard(this.#ports)], ports)(deletionOf(object, more), SIGNAL);
  }
}

async function messageOf(held: Usage): Promise<string> {
  const answer = await new Hearing({ live: [held] }).answer();
  if (answer.kind !== 'conflict') throw new Error(`not refused: ${answer.kind}`);
  return [answer.message].flat().join('\n');
}

describe('a deletion', () => {
  test('W6: of what no usage holds is allowed, and leaves no trace', async () => {
    const hearing = new Hearing({ live: [usage({ of: side('other'), reason: 'x' })] });
    expect(await hearing.answer()).toEqual({ kind: 'allow' });
    expect(hearing.attempts).toEqual([]);
  });

  test('W7, F1, F2, F3: is not allowed when usages cannot be listed', async () => {
    const hearing = new Hearing({ live: new Error('cannot list usages: boom') });
    await expect(hearing.answer()).rejects.toThrow('cannot list usages: boom');
  });

  test('W8: is refused in the name of the usage, its namespace and what uses the object', async () => {
    const held = usage({ of: side('used'), by: side('using') });
    expect(await messageOf(held)).toBe(
      [
        'ConfigMap "used" is in use by 1 usage:',
        '- Usage "here/usage" of ConfigMap/used by ConfigMap/using',
        'See: kubectl rook-deps why configmap/used -n here',
      ].join('\n'),
    );
  });

  test('W9: is refused with the reason in quotes', async () => {
    const held = usage({ of: side('used'), reason: 'holds "everything"' });
    expect(await messageOf(held)).toContain('with reason: "holds \\"everything\\""');
  });

  test('W10: is refused by a usage with neither reason nor user as well', async () => {
    expect(await messageOf(usage({ of: side('used') }))).toContain(
      '\n- Usage "here/usage" of ConfigMap/used\n',
    );
  });

  test('is refused with one cause for each usage, and twenty lines at most', async () => {
    const live = Array.from({ length: 23 }, (_, index) => usage({ of: side('used') }, { name: `n${index}` }));
    const answer = await new Hearing({ live }).answer();
    expect(answer).toMatchObject({ kind: 'conflict' });
    if (answer.kind !== 'conflict') return;
    expect(answer.causes).toHaveLength(23);
    expect(answer.causes[0]).toEqual({ reason: 'RD039', message: 'Usage "here/n0" of ConfigMap/used' });
    expect(answer.message).toHaveLength(23);
    expect(answer.message.at(-2)).toBe('- +3 more');
  });

  test('of a marked object is refused from the cache alone', async () => {
    const hearing = new Hearing({ cached: [HELD], live: new Error('not asked') });
    expect((await hearing.answer()).kind).toBe('conflict');
    expect(hearing.lookups).toBe(0);
  });

  test('is refused when only the server knows the usage', async () => {
    const hearing = new Hearing({ live: [HELD] });
    expect((await hearing.answer()).kind).toBe('conflict');
  });

  test('is allowed by the server only', async () => {
    const hearing = new Hearing();
    await hearing.answer();
    expect(hearing.lookups).toBe(1);
  });

  test('of an unmarked object is allowed when the server has no usage that the cache still has', async () => {
    const hearing = new Hearing({ cached: [HELD] });
    expect((await hearing.answer(configMap('used', { uid: 'u' }))).kind).toBe('allow');
  });

  test('of what is terminating passes without a question', async () => {
    const terminating = configMap('used', { labels: MARKED, deletionTimestamp: '2030-01-01T00:00:00Z' });
    const hearing = new Hearing({ cached: [HELD], live: [HELD] });
    expect(await hearing.answer(terminating)).toEqual({ kind: 'allow' });
    expect(hearing.lookups).toBe(0);
    expect(hearing.attempts).toEqual([]);
  });

  test('that is refused is kept with who asked, for which UID and how', async () => {
    const hearing = new Hearing({ live: [HELD] });
    await hearing.answer(USED, { options: { propagationPolicy: 'Foreground' } });
    expect(hearing.attempts).toEqual([
      {
        usages: [HELD],
        attempt: {
          time: '2030-01-01T00:00:00.000Z',
          user: { username: 'ada', uid: '7', groups: ['dev'] },
          uid: 'u',
          propagationPolicy: 'Foreground',
        },
      },
    ]);
  });

  test('of a namespace is refused, and kept by no usage: nothing of it is ever repeated', async () => {
    const hearing = new Hearing({ live: [HELD] });
    expect((await hearing.answer(namespace('here', { uid: 'n' }))).kind).toBe('conflict');
    expect(hearing.attempts.flatMap(({ usages }) => usages)).toEqual([]);
  });

  test('that is a dry run is refused alike, and leaves no trace', async () => {
    const [real, dry] = [new Hearing({ live: [HELD] }), new Hearing({ live: [HELD] })];
    expect(await dry.answer(USED, { dryRun: true })).toEqual(await real.answer());
    expect(dry.attempts).toEqual([]);
    expect(real.attempts).toHaveLength(1);
  });
});
