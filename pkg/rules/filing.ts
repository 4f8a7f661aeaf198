import type { KubeObject, ObjectKey } from '#pkg/object';
import type { Topic } from './lookup.ts';

type Drawer = Map<ObjectKey, KubeObject>;

/** Objects by the questions they answer. Most questions have one answer: those need no map of their own. */
export class Filing {
  readonly #single = new Map<Topic, { readonly key: ObjectKey; readonly object: KubeObject }>();
  readonly #several = new Map<Topic, Drawer>();

  put(topic: Topic, key: ObjectKey, object: KubeObject): void {
    const several = this.#several.get(topic);
    if (several) {
      several.set(key, object);
      return;
    }
    const single = this.#single.get(topic);
    if (!single || single.key === key) {
      this.#single.set(topic, { key, object });
      return;
    }
    this.#single.delete(topic);
    this.#several.set(topic, new Map([[single.key, single.object]]).set(key, object));
  }

  drop(topic: Topic, key: ObjectKey): void {
    if (this.#single.get(topic)?.key === key) this.#single.delete(topic);
    const several = this.#several.get(topic);
    several?.delete(key);
    if (several?.size === 0) this.#several.delete(topic);
  }

  find(topic: Topic): readonly KubeObject[] {
    const single = this.#single.get(topic);
    return single ? [single.object] : [...(this.#several.get(topic)?.values() ?? [])];
  }
}
