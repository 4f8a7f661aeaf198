/** Bounds of the server. Tests make them small. */
export interface Limits {
  /**
   * Of one review. It holds `object` and `oldObject`, each at most the 1.5 MiB that etcd stores; built-in kinds are
   * stored in binary form, and as JSON each `<`, `>` and `&` in them takes six bytes: 2 × 6 × 1.5 MiB, and 1 MiB for
   * the rest of the review. A smaller limit would let whoever may edit an object make it impossible to delete.
   */
  readonly bodyBytes: number;
  /** Of all bodies that are in memory at a time. */
  readonly memoryBytes: number;
  /** Decisions under way at a time; more wait their turn within their time limit. */
  readonly decisions: number;
  /** For the head of a request, and for the TLS handshake. */
  readonly headMs: number;
  /** For a whole request; a review's own time limit is usually shorter. */
  readonly requestMs: number;
  /** Longer than the 90 s after which the API server closes an idle connection: it should be the one to close. */
  readonly idleMs: number;
  /** After the stop signal: still accepts for so long, so that whoever has not yet heard of it is served. */
  readonly farewellMs: number;
  /** After that: how long answers under way may take. */
  readonly drainMs: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 19 * MIB,
  memoryBytes: 64 * MIB,
  decisions: 64,
  headMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  farewellMs: 5_000,
  drainMs: 15_000,
};
