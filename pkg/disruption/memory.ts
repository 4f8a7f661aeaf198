import type { CrushLayout } from '#pkg/drain';

/** While something drains or recovers, Ceph is asked this often; it has no watch. */
const BUSY_MS = 3000;
/** While an OSD is dead, Ceph silent, or nothing moves, this often. */
export const SLOW_MS = 30_000;

/** What is worth knowing from one look at a cluster to the next. Without it everything is right as well. */
export class Memory {
  layout: CrushLayout | undefined;
  /** The domain that drains and was said to be held itself. */
  held: string | undefined;
  #told: string | undefined;
  #sign = '';
  #waitMs = BUSY_MS;

  /** Whether this was not said already. */
  isNews(note: string | undefined): note is string {
    const isNews = note !== undefined && note !== this.#told;
    this.#told = note;
    return isNews;
  }

  /** How long to wait for the next look: longer each time that nothing has changed. */
  waitMs(sign: string): number {
    this.#waitMs = sign === this.#sign ? Math.min(2 * this.#waitMs, SLOW_MS) : BUSY_MS;
    this.#sign = sign;
    return this.#waitMs;
  }
}
