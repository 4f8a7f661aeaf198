import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#pkg/object';
import { configMap, deletionOf, SIGNAL } from '#test/fakes/usage-world.ts';
import type { Answer } from './answer.ts';
import { deletionHandler, type DeletionGuard, type Objection } from './deletion.ts';
import type { AdmissionRequest } from './request.ts';

const FORCED = { 'rook-deps.io/force-delete': 'the disk is on fire' };
const OBJECT = configMap('used', { uid: 'u' });

interface Opinion {
  readonly glance?: Objection;
  readonly look?: Objection | Error;
}

class Hearing {
  readonly events: string[] = [];
  readonly asked: string[] = [];
  readonly unnoted: unknown[] = [];
  readonly #guards: readonly DeletionGuard[];
  readonly #mayForce: boolean;

  constructor(opinions: readonly Opinion[], mayForce = false) {
    this.#mayForce = mayForce;
    this.#guards = opinions.map(({ glance, look }, at) => ({
      glance: async () => {
        this.asked.push(`glance ${at}`);
        return glance;
      },
      look: async () => {
        this.asked.push(`look ${at}`);
        if (look instanceof Error) throw look;
        return look;
      },
    }));
  }

  answer(object: KubeObject = OBJECT, more: Partial<AdmissionRequest> = {}): Promise<Answer> {
    const ports = {
      mayForce: async () => this.#mayForce,
      record: async (_object: KubeObject, reason: string, note: string) =>
        void this.events.push(`${reason}: ${note}`),
      notNoted: (error: unknown) => void this.unnoted.push(error),
    };
    return deletionHandler(this.#guards, ports)(deletionOf(object, more), SIGNAL);
  }
}

function objection(name: string): Objection {
  return {
    lines: [`${name}:`, `- ${name} blocks`],
    causes: [{ reason: name, message: `${name} blocks` }],
  };
}

const A = objection('A');
const B = objection('B');
const DOUBT: Objection = { ...objection('D'), isDoubt: true };

describe('a review', () => {
  test.each([
    ['W1', 'CREATE'],
    ['W2', 'CONNECT'],
    ['W3', 'UPDATE'],
    ['W4', 'MEDDLE'],
  ])('%s: of %s is a bad request', async (_id, operation) => {
    const more = { operation: operation as 'CREATE' };
    expect(await new Hearing([{ look: A }]).answer(OBJECT, more)).toEqual({
      kind: 'badRequest',
      message: `unexpected operation "${operation}", expected "DELETE"`,
    });
  });

  test('W5: of DELETE without the object is a bad request', async () => {
    const hearing = new Hearing([{ look: A }]);
    const { oldObject: _, ...request } = deletionOf(OBJECT);
    const answer = await hearing.answer(OBJECT, { ...request, oldObject: undefined as never });
    expect(answer.kind).toBe('badRequest');
  });
});

describe('a deletion', () => {
  test('is allowed when every guard has looked and none objects', async () => {
    const hearing = new Hearing([{}, {}]);
    expect(await hearing.answer()).toEqual({ kind: 'allow' });
    expect(hearing.asked).toEqual(['glance 0', 'glance 1', 'look 0', 'look 1']);
  });

  test('is refused at a glance, without a look', async () => {
    const hearing = new Hearing([{ look: B }, { glance: A }]);
    expect(await hearing.answer()).toEqual({
      kind: 'conflict',
      message: ['A:', '- A blocks', 'See: kubectl rook-deps why configmap/used -n here'],
      causes: A.causes,
    });
    expect(hearing.asked).toEqual(['glance 0', 'glance 1']);
  });

  test('is refused with the objections of all', async () => {
    const answer = await new Hearing([{ look: A }, { look: B }]).answer();
    expect(answer).toMatchObject({ kind: 'conflict', causes: [...A.causes, ...B.causes] });
  });

  test('is refused by who objects though another could not look', async () => {
    const answer = await new Hearing([{ look: new Error('boom') }, { look: B }]).answer();
    expect(answer).toMatchObject({ kind: 'conflict', causes: B.causes });
  });

  test('is not allowed when a guard could not look', async () => {
    await expect(new Hearing([{ look: new Error('boom') }, {}]).answer()).rejects.toThrow('boom');
  });

  test('is refused as undecided when there is only doubt, and without the doubt when there is more', async () => {
    expect((await new Hearing([{ look: DOUBT }]).answer()).kind).toBe('unavailable');
    const answer = await new Hearing([{ look: DOUBT }, { look: A }]).answer();
    expect(answer).toMatchObject({ kind: 'conflict', causes: A.causes });
  });

  test('of what is terminating passes without a question', async () => {
    const hearing = new Hearing([{ glance: A, look: A }]);
    const terminating = configMap('used', { deletionTimestamp: '2030-01-01T00:00:00Z' });
    expect(await hearing.answer(terminating)).toEqual({ kind: 'allow' });
    expect(hearing.asked).toEqual([]);
  });

  test('that is refused is noted by who objected, unless it is a dry run', async () => {
    const notes: string[] = [];
    const look = { ...A, refused: async () => void notes.push('A') };
    const real = await new Hearing([{ look }]).answer();
    expect(notes).toEqual(['A']);
    expect(await new Hearing([{ look }]).answer(OBJECT, { dryRun: true })).toEqual(real);
    expect(notes).toEqual(['A']);
  });

  test('is noted as vetoed where another who objects does not want it repeated', async () => {
    const notes: string[] = [];
    const noting = (name: string, forbidsRepeat: boolean) => ({
      look: {
        ...A,
        forbidsRepeat,
        refused: async (isVetoed: boolean) => void notes.push(`${name} ${isVetoed}`),
      },
    });
    await new Hearing([noting('willing', false), noting('unwilling', true)]).answer();
    expect(notes).toEqual(['willing true', 'unwilling false']);
  });

  test('is refused also when that cannot be noted', async () => {
    const look = { ...A, refused: () => Promise.reject(new Error('boom')) };
    const hearing = new Hearing([{ look }]);
    expect((await hearing.answer()).kind).toBe('conflict');
    expect(hearing.unnoted).toEqual([new Error('boom')]);
  });
});

describe('a forced deletion', () => {
  const forced = configMap('used', { uid: 'u', annotations: FORCED });

  test('by who has the right passes with a warning and an event that says who and why', async () => {
    const hearing = new Hearing([{ look: A }, { look: B }], true);
    const answer = await hearing.answer(forced);
    expect(answer.kind).toBe('allow');
    expect(answer.warnings).toEqual(['the deletion of ConfigMap is forced in spite of 2 causes against it']);
    expect(hearing.events).toEqual([
      'DeletionForced: ada forced the deletion in spite of 2 causes against it: the disk is on fire',
    ]);
  });

  test('by who lacks the right is refused', async () => {
    const hearing = new Hearing([{ look: A }]);
    expect((await hearing.answer(forced)).kind).toBe('conflict');
    expect(hearing.events).toEqual([]);
  });

  test('without a reason is refused', async () => {
    const annotations = { 'rook-deps.io/force-delete': '' };
    const answer = await new Hearing([{ look: A }], true).answer(configMap('used', { annotations }));
    expect(answer.kind).toBe('conflict');
  });

  test('that is a dry run writes no event', async () => {
    const hearing = new Hearing([{ look: A }], true);
    expect((await hearing.answer(forced, { dryRun: true })).kind).toBe('allow');
    expect(hearing.events).toEqual([]);
  });
});
