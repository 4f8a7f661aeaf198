import { describe, expect, test } from 'vitest';
import { configMap, usageObject } from '#test/fakes/usage-world.ts';
import { selected, unresolvedMessage } from './selection.ts';

const WHOLE = { apiVersion: 'v1', kind: 'ConfigMap', name: 'whole', uid: 'w', controller: true };
const USAGE = usageObject({}, { ownerReferences: [WHOLE] });
const ANY = { matchLabels: {}, matchControllerRef: false };

function names(...args: Parameters<typeof selected>): readonly string[] {
  return selected(...args).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}

describe('a selector', () => {
  test('means objects that have all of its labels', () => {
    const both = configMap('both', { labels: { a: '1', b: '2', c: '3' } });
    const one = configMap('one', { labels: { a: '1' } });
    const other = configMap('other', { labels: { a: '1', b: '3' } });
    const none = configMap('none');
    const selector = { matchLabels: { a: '1', b: '2' }, matchControllerRef: false };
    expect(names([one, none, both, other], selector, USAGE)).toEqual(['here/both']);
  });

  test('without labels means every object', () => {
    expect(names([configMap('b'), configMap('a')], ANY, USAGE)).toEqual(['here/a', 'here/b']);
  });

  test('takes objects by namespace and name, however they are listed', () => {
    const objects = [
      configMap('b', { namespace: 'y' }),
      configMap('c', { namespace: 'x' }),
      configMap('a', { namespace: 'y' }),
    ];
    expect(names(objects, ANY, USAGE)).toEqual(['x/c', 'y/a', 'y/b']);
    expect(names(objects.toReversed(), ANY, USAGE)).toEqual(['x/c', 'y/a', 'y/b']);
  });

  test('with matchControllerRef means objects of the same controller, by UID', () => {
    const selector = { matchLabels: {}, matchControllerRef: true };
    const same = configMap('same', { ownerReferences: [{ ...WHOLE, name: 'renamed' }] });
    const owned = configMap('owned', { ownerReferences: [{ ...WHOLE, controller: false }] });
    const other = configMap('other', { ownerReferences: [{ ...WHOLE, uid: 'x' }] });
    expect(names([configMap('free'), other, owned, same], selector, USAGE)).toEqual(['here/same']);
  });

  test('with matchControllerRef on a usage without a controller means nothing', () => {
    const selector = { matchLabels: {}, matchControllerRef: true };
    expect(names([configMap('free')], selector, usageObject({}))).toEqual([]);
  });

  test('that means nothing is described by what it wanted', () => {
    const matchLabels = { a: '1', b: '2' };
    expect(unresolvedMessage('Pod', { matchLabels, matchControllerRef: false })).toBe(
      'no "Pod" found matching labels: a=1,b=2',
    );
    expect(unresolvedMessage('Pod', { matchLabels: {}, matchControllerRef: true })).toBe(
      'no "Pod" found matching labels: <any> and with same controller reference',
    );
  });
});
