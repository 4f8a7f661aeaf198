import { describe, expect, test } from 'vitest';
import type { ObjectPage } from '#pkg/kube';
import type { KubeObject } from '#pkg/object';
import { FakeWatcher } from '#test/fakes/fake-watcher.ts';
import { SIGNAL } from '#test/fakes/usage-world.ts';
import { currentHolders, type Known } from './current-holders.ts';

const KIND = { group: 'example.org', kind: 'Gadget' };

function gadget(name: string, finalizers: readonly string[] = [], resourceVersion = '1'): KubeObject {
  return { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name, finalizers, resourceVersion } };
}

const page = (count: number): KubeObject[] => Array.from({ length: count }, (_, at) => gadget(`g${at}`));

/** A server with so many objects, listed at version 20, whose pages are counted. */
class Server {
  readonly watcher = new FakeWatcher();
  pages = 0;

  constructor(...pages: readonly (readonly KubeObject[])[]) {
    this.watcher.list = () => this.#listed(pages);
  }

  *#listed(pages: readonly (readonly KubeObject[])[]): Iterable<ObjectPage> {
    for (const [at, items] of pages.entries()) {
      this.pages += 1;
      const remaining = pages.slice(at + 1).reduce((sum, { length }) => sum + length, 0);
      yield { items, resourceVersion: '20', remaining };
    }
  }

  holders(known?: Known): Promise<readonly string[]> {
    return currentHolders(KIND, 'f', { watcher: this.watcher, known: () => known }, SIGNAL);
  }
}

describe('the objects with a finalizer', () => {
  test('of a small kind are listed', async () => {
    const server = new Server([gadget('a', ['f']), gadget('b', ['g']), gadget('c')]);
    expect(await server.holders({ resourceVersion: '20', names: ['stale'] })).toEqual(['a']);
    expect(server.watcher.watches).toEqual([]);
  });

  test('of a kind that is listed more quickly than watched are listed', async () => {
    const server = new Server(page(1_000), [...page(9_999), gadget('z', ['f'])]);
    expect(await server.holders({ resourceVersion: '20', names: ['stale'] })).toEqual(['z']);
    expect(server.watcher.watches).toEqual([]);
  });

  test('of a large kind are what a watch has told, if it has told enough', async () => {
    const server = new Server(page(1_000), page(10_001));
    expect(await server.holders({ resourceVersion: '20', names: ['a'] })).toEqual(['a']);
    expect(server.pages).toBe(1);
  });

  test('of a large kind are brought up to date by what has changed since', async () => {
    const server = new Server(page(1_000), page(10_001));
    server.watcher.onWatch = (watch) => {
      watch.send(
        { kind: 'modified', object: gadget('a', [], '12') },
        { kind: 'added', object: gadget('b', ['f'], '13') },
        { kind: 'added', object: gadget('c', ['f'], '14') },
        { kind: 'deleted', object: gadget('c', ['f'], '15') },
        { kind: 'bookmark', resourceVersion: '20', isEndOfInitial: false },
      );
    };
    expect(await server.holders({ resourceVersion: '9', names: ['a'] })).toEqual(['b']);
    expect(server.watcher.last.request).toMatchObject({ resourceVersion: '9', timeoutSeconds: 3 });
    expect(server.pages).toBe(1);
  });

  test.each([
    ['the watch ends without a word on how far it went', (server: Server) => server.watcher.last.end()],
    [
      'its version is too old',
      (server: Server) =>
        server.watcher.last.send({ kind: 'error', status: 410, reason: 'Expired', message: '', details: {} }),
    ],
  ])('of a large kind are listed to the end when %s', async (_title, end) => {
    const server = new Server(page(1_000), [...page(10_000), gadget('z', ['f'])]);
    server.watcher.onWatch = () => end(server);
    expect(await server.holders({ resourceVersion: '9', names: [] })).toEqual(['z']);
    expect(server.watcher.watches).toHaveLength(1);
  });

  test('of a large kind that is not watched are listed to the end', async () => {
    const server = new Server(page(1_000), page(10_001), [gadget('z', ['f'])]);
    expect(await server.holders()).toEqual(['z']);
  });

  test('are enough to refuse when one is found', async () => {
    const server = new Server([...page(999), gadget('z', ['f'])], page(10_001));
    expect(await server.holders()).toEqual(['z']);
    expect(server.pages).toBe(1);
  });
});
