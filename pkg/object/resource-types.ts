import { kindKey, type GroupKind, type KindKey } from './reference.ts';

/** A kind as a server serves it, or as we know it where there is no server. */
export interface ResourceType extends GroupKind {
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
}

/** What a server could not tell: the errors, by group, and the types that its broken groups should have. */
export interface UntoldTypes {
  readonly failures: ReadonlyMap<string, string>;
  readonly assumed: readonly ResourceType[];
}

/** The types that can be asked for; resolves what people type on a command line. */
export class ResourceTypes {
  readonly #byKind = new Map<KindKey, ResourceType>();
  readonly #byWord = new Map<string, ResourceType>();
  readonly #told: ReadonlySet<KindKey>;
  readonly #failures: ReadonlyMap<string, string>;

  /** Earlier types win a word that several claim, as in kubectl: groups come in the server's order of preference. */
  constructor(types: Iterable<ResourceType>, untold: UntoldTypes = { failures: new Map(), assumed: [] }) {
    const told = [...types];
    this.#told = new Set(told.map(kindKey));
    this.#failures = untold.failures;
    const all = [...told, ...untold.assumed];
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

  /** Why this kind may exist although the server did not tell of it: its group could not be looked at. */
  failureOf(kind: GroupKind): string | undefined {
    return this.#told.has(kindKey(kind)) ? undefined : this.#failures.get(kind.group);
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
