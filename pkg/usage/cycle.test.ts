import { describe, expect, test } from 'vitest';
import { KNOWN_TYPES, ResourceTypes } from '#pkg/object';
import { selecting, side, usage } from '#test/fakes/usage-world.ts';
import { cycleWith } from './cycle.ts';
import type { Usage } from './usage.ts';

const TYPES = new ResourceTypes(KNOWN_TYPES);

/** `by` uses `of`. */
function uses(by: string, of: string, status: object = {}): Usage {
  return usage({ of: side(of), by: side(by) }, { name: `${by}-${of}` }, status);
}

describe('a circle', () => {
  test('of two is found, and named from the one that closes it', () => {
    expect(cycleWith(uses('a', 'b'), [uses('b', 'a')], TYPES)).toEqual([
      'ConfigMap/a',
      'ConfigMap/b',
      'ConfigMap/a',
    ]);
  });

  test('of several is found among others that lead nowhere', () => {
    const others = [uses('b', 'x'), uses('b', 'c'), uses('x', 'y'), uses('c', 'd'), uses('d', 'a')];
    expect(cycleWith(uses('a', 'b'), others, TYPES)?.map((name) => name.split('/')[1])).toEqual([
      'a',
      'b',
      'c',
      'd',
      'a',
    ]);
  });

  test('elsewhere does not keep the search from ending, and is not this one', () => {
    expect(cycleWith(uses('a', 'b'), [uses('b', 'c'), uses('c', 'b')], TYPES)).toBeUndefined();
  });

  test('is none where two only use the same', () => {
    expect(cycleWith(uses('a', 'b'), [uses('c', 'b'), uses('a', 'c')], TYPES)).toBeUndefined();
  });

  test('is not closed by a usage that is released, nor by the usage itself', () => {
    expect(cycleWith(uses('a', 'b'), [uses('b', 'a', { released: true })], TYPES)).toBeUndefined();
    expect(cycleWith(uses('a', 'b'), [uses('a', 'b')], TYPES)).toBeUndefined();
  });

  test('is not closed by objects of the same name in another namespace', () => {
    const elsewhere = usage({ of: side('a'), by: side('b') }, { namespace: 'there' });
    expect(cycleWith(uses('a', 'b'), [elsewhere], TYPES)).toBeUndefined();
  });

  test('is not looked for from a usage without a user, or without names', () => {
    expect(cycleWith(usage({ of: side('a'), reason: 'x' }), [uses('b', 'a')], TYPES)).toBeUndefined();
    const unresolved = usage({ of: selecting({}), by: side('b') });
    expect(cycleWith(unresolved, [uses('b', 'a')], TYPES)).toBeUndefined();
  });
});
