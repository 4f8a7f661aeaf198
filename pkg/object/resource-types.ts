import { kindKey, type GroupKind, type KindKey } from './reference.ts';

/** A kind as a server serves it, or as we know it where there is no server. */
export interface ResourceType extends GroupKind {
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
}

/** The types that can be asked for; resolves what people type on a command line. */
export class ResourceTypes {
  readonly #byKind = new Map<KindKey, ResourceType>();
  readonly #byWord = new Map<string, ResourceType>();

  /** Earlier types win a word that several claim, as in kubectl: groups come in the server's order of preference. */
  constructor(types: Iterable<ResourceType>) {
    const all = [...types];
    for (const type of all) {
      const key = kindKey(type);
      if (!this.#byKind.has(key)) this.#byKind.set(key, type);
    }
    // Full names first: a short name never hides another type's own name.
    for (const type of all) for (const word of fullNames(type)) this.#claim(word, type);
    for (const type of all)
      for (const word of type.shortNames.flatMap((name) => [name, `${name}.${type.group}`]))
        this.#claim(word, type);
  }

  find(kind: GroupKind): ResourceType | undefined {
    return this.#byKind.get(kindKey(kind));
  }

  /** `cephblockpools`, `CephBlockPool`, `cephbp`, `cephblockpools.ceph.rook.io`, `cephblockpools.v1.ceph.rook.io`. */
  resolve(word: string): ResourceType | undefined {
    return this.#byWord.get(word.toLowerCase());
  }

  all(): readonly ResourceType[] {
    return [...this.#byKind.values()];
  }

  #claim(word: string, type: ResourceType): void {
    const lower = word.toLowerCase();
    if (!this.#byWord.has(lower)) this.#byWord.set(lower, type);
  }
}

function* fullNames(type: ResourceType): Iterable<string> {
  for (const name of new Set([type.plural, type.singular, type.kind])) {
    yield name;
    yield `${name}.${type.group}`;
    yield `${name}.${type.version}.${type.group}`;
  }
}
