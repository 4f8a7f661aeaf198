/** What is to happen to a key after a reconcile that went well. */
export type Outcome =
  { readonly kind: 'wait-for-change' } | { readonly kind: 'look-again'; readonly afterMs: number };

/** Brings one object closer to what is wanted of it. Reads the world anew each time: a key says only whose turn it is. */
export interface Reconciler<K> {
  /** May be called again for any key at any time, but never for one key twice at once. */
  reconcile(key: K, signal: AbortSignal): Promise<Outcome>;
}

export const waitForChange: Outcome = { kind: 'wait-for-change' };

export function lookAgain(afterMs: number): Outcome {
  return { kind: 'look-again', afterMs };
}

/** A failure that trying again cannot mend: the key waits for a change. */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TerminalError';
  }
}
