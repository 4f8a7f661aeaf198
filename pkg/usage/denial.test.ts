import { describe, expect, test } from 'vitest';
import { selecting, side, usage } from '#test/fakes/usage-world.ts';
import { describe as describeUsage, details } from './denial.ts';

const THERE = side('used', { resourceRef: { name: 'used', namespace: 'there' } });

describe('the details of a usage', () => {
  test.each([
    ['its reason', { of: side('used'), by: side('using'), reason: 'needed' }, 'needed'],
    ['who uses what', { of: side('used'), by: side('using') }, 'ConfigMap/using uses ConfigMap/used'],
    [
      'where that is',
      { of: THERE, by: side('using') },
      'ConfigMap/using uses ConfigMap/used in namespace there',
    ],
    ['what is not known yet', { of: selecting({}), by: selecting({}) }, 'ConfigMap/? uses ConfigMap/?'],
    ['that there is nothing to say', { of: side('used') }, 'undefined'],
  ])('say %s', (_title, spec, text) => {
    expect(details(usage(spec))).toBe(text);
  });
});

describe('a line on a usage', () => {
  test('says which, of what, by what and why', () => {
    const held = usage({ of: side('used'), by: side('using'), reason: 'needed' });
    expect(describeUsage(held)).toBe(
      'Usage "here/usage" of ConfigMap/used by ConfigMap/using with reason: "needed"',
    );
  });

  test('says where an object of another namespace is', () => {
    expect(describeUsage(usage({ of: THERE, by: side('using') }))).toBe(
      'Usage "here/usage" of ConfigMap/used in namespace there by ConfigMap/using',
    );
  });

  test('keeps a line break in a reason from looking like a line of ours', () => {
    expect(describeUsage(usage({ of: side('used'), reason: 'a\nb' }))).not.toContain('\n');
  });
});
