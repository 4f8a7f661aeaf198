import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareText, type ObjectKey } from '#pkg/object';
import { Store, type Entry, type ObjectChange } from './store.ts';

const key = (name: string): ObjectKey => name as ObjectKey;
const entry = (value: string, resourceVersion: string, uid = 'u'): Entry<string> => ({
  value,
  resourceVersion,
  uid,
});

function aStore(): { store: Store<string, 'letters'>; changes: ObjectChange<string>[] } {
  const store = new Store<string, 'letters'>({ letters: (value) => new Set(value.split('')) });
  const changes: ObjectChange<string>[] = [];
  store.onChange((change) => changes.push(change));
  return { store, changes };
}

describe('changes', () => {
  test('listeners hear of old and new', () => {
    const { store, changes } = aStore();
    store.set(key('k'), entry('a', '1'));
    store.set(key('k'), entry('b', '2'));
    store.delete(key('k'));
    expect(changes).toEqual([
      { key: 'k', new: 'a' },
      { key: 'k', old: 'a', new: 'b' },
      { key: 'k', old: 'b' },
    ]);
  });

  test('the same version again, and the end of what is not there, are no changes', () => {
    const { store, changes } = aStore();
    store.set(key('k'), entry('a', '1'));
    store.set(key('k'), entry('a', '1'));
    store.delete(key('other'));
    expect(changes).toHaveLength(1);
  });

  test('another object under the same name is an end and a beginning', () => {
    const { store, changes } = aStore();
    store.set(key('k'), entry('a', '1', 'u1'));
    store.set(key('k'), entry('a', '5', 'u2'));
    expect(changes.slice(1)).toEqual([
      { key: 'k', old: 'a' },
      { key: 'k', new: 'a' },
    ]);
  });

  test('who stopped listening hears nothing', () => {
    const { store } = aStore();
    const heard: unknown[] = [];
    store.onChange((change) => heard.push(change))();
    store.set(key('k'), entry('a', '1'));
    expect(heard).toEqual([]);
  });
});

describe('replace', () => {
  test('tells what vanished, what came and what changed, when all is in place', () => {
    const { store } = aStore();
    for (const name of ['gone', 'same', 'changed']) store.set(key(name), entry('a', '1'));
    const heard: unknown[] = [];
    store.onChange((change) => heard.push([change, [...store.keys()], [...store.keysBy('letters', 'b')]]));
    const after = new Map([
      [key('same'), entry('a', '1')],
      [key('changed'), entry('b', '2')],
      [key('new'), entry('b', '3')],
    ]);
    store.replace(after);
    const state = [
      ['same', 'changed', 'new'],
      ['changed', 'new'],
    ];
    expect(heard).toEqual([
      [{ key: 'gone', old: 'a' }, ...state],
      [{ key: 'changed', old: 'a', new: 'b' }, ...state],
      [{ key: 'new', new: 'b' }, ...state],
    ]);
  });
});

describe('indexes', () => {
  const operation = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    value: fc.option(fc.string({ maxLength: 3 })),
  });

  test('hold what a search through all objects finds', () => {
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const { store } = aStore();
        for (const [version, { name, value }] of operations.entries()) {
          if (value === null) store.delete(key(name));
          else if (version % 3 === 0) store.replace(new Map([[key(name), entry(value, String(version))]]));
          else store.set(key(name), entry(value, String(version)));
        }
        for (const letter of new Set(operations.flatMap(({ value }) => (value ?? '').split('')))) {
          const found = [...store.keys()].filter((name) => store.get(name)?.includes(letter));
          const indexed = [...store.keysBy('letters', letter)];
          expect(indexed.toSorted(compareText)).toEqual(found.toSorted(compareText));
          expect([...store.valuesBy('letters', letter)]).toHaveLength(found.length);
        }
      }),
    );
  });
});
