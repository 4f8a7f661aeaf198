import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { KNOWN_TYPES, listAt, textAt, type KubeObject, type ResourceType } from '#pkg/object';
import { SECOND_LATER } from '../cluster/edge-scenarios.ts';
import type { Reply } from './client.ts';
import type { Scene } from './scene.ts';

const WAIT = { timeout: 30_000, interval: 50 };

/** An object by kind and name. */
export interface Named {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Rook's resources, and all that can depend on them, as the scenarios of a file use them. */
export class RookObjects {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async apply(objects: readonly object[]): Promise<void> {
    for (const object of objects) {
      if (object === SECOND_LATER) await sleep(1_100);
      else await vi.waitFor(() => this.#scene.install.apply([object]), WAIT);
    }
  }

  delete(named: Named, query?: string): Promise<Reply> {
    return this.#scene.client.send('DELETE', pathOf(named), undefined, query ? { query } : {});
  }

  async read(named: Named): Promise<KubeObject | undefined> {
    const { status, body } = await this.#scene.client.send('GET', pathOf(named), undefined);
    return status === 404 ? undefined : (body as KubeObject);
  }

  patch(named: Named, change: object, subresource?: string): Promise<Reply> {
    return this.#scene.client.send('PATCH', pathOf(named), change, subresource ? { subresource } : {});
  }

  async untilGone(...all: readonly Named[]): Promise<void> {
    await vi.waitFor(async () => {
      for (const named of all) expectEqual(await this.read(named), undefined);
    }, WAIT);
  }

  async untilHeld(named: Named, isHeld = true): Promise<void> {
    await vi.waitFor(async () => {
      const finalizers = (await this.read(named))?.metadata.finalizers ?? [];
      expectEqual(finalizers.includes('rook-deps.io/dependents'), isHeld);
    }, WAIT);
  }

  /** Deletes an object; where that is refused, first all that holds it, as the refusal names it. */
  async remove(named: Named, depth = 0): Promise<void> {
    const reply = await this.delete(named);
    if (reply.status === 409 && depth < 20) {
      for (const blocker of blockersOf(reply)) await this.remove(blocker, depth + 1);
      return this.remove(named, depth + 1);
    }
    if (![200, 202, 404].includes(reply.status))
      throw new Error(`cannot remove ${named.name}: ${reply.message}`);
    await this.untilGone(named);
  }
}

function expectEqual(actual: unknown, expected: unknown): void {
  expect(actual).toEqual(expected);
}

/** Who blocks, as the causes of a refusal say. */
export function blockersOf(reply: Reply): readonly Named[] {
  return listAt(reply.body, 'details', 'causes').flatMap((cause) => {
    const [, kind = '', namespace, name = ''] =
      /^(\w+) (?:([^/ ]+)\/)?(\S+) depends on /.exec(textAt(cause, 'message') ?? '') ?? [];
    return kind ? [{ kind, namespace, name }] : [];
  });
}

/** `TYPE/NAME`, as people type it. */
export function typed(word: string, namespace: string): Named {
  const [type = '', name = ''] = word.split('/');
  const found = KNOWN_TYPES.find(({ kind, singular, plural, shortNames }) =>
    [kind, singular, plural, ...shortNames].includes(type.split('.')[0] ?? ''),
  );
  if (!found) throw new Error(`there is no type ${type}`);
  return { kind: found.kind, namespace, name };
}

function pathOf({ kind, namespace, name }: Named): string {
  const type = typeOf(kind);
  const root = type.group ? `/apis/${type.group}/${type.version}` : `/api/${type.version}`;
  const scope = type.namespaced ? `/namespaces/${namespace ?? 'default'}` : '';
  return `${root}${scope}/${type.plural}/${name}`;
}

function typeOf(kind: string): ResourceType {
  const type = KNOWN_TYPES.find((known) => known.kind === kind);
  if (!type) throw new Error(`there is no kind ${kind}`);
  return type;
}
