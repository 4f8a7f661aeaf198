/** The words and flags of one call, after parsing. */
export class Args {
  readonly words: readonly string[];
  readonly #flags: Readonly<Record<string, unknown>>;

  constructor(words: readonly string[], flags: Readonly<Record<string, unknown>>) {
    this.words = words;
    this.#flags = flags;
  }

  /** Of a flag given twice, the last counts. */
  text(name: string): string | undefined {
    const value = this.#last(name);
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#flags[name];
    return Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
  }

  given(name: string): boolean {
    return this.#last(name) !== undefined;
  }

  /** `standard` is what holds when the flag is not given. */
  isSet(name: string, standard = false): boolean {
    return (this.#last(name) ?? standard) === true;
  }

  #last(name: string): unknown {
    const value = this.#flags[name];
    return Array.isArray(value) ? value.at(-1) : value;
  }
}
