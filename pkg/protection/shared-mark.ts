import type { ObjectKey, ObjectRef } from '#pkg/object';
import { Turns } from './turns.ts';

/** Whether somebody wants the mark on an object. */
export type Wants = (ref: ObjectRef, signal: AbortSignal) => Promise<boolean>;

/** A mark that several protections put on objects: none of them takes it off while another wants it. */
export class SharedMark {
  readonly turns = new Turns<ObjectKey>();
  readonly #members: Wants[] = [];

  /** Joins with what it wants itself; returns what tells whether anybody else wants a mark. */
  join(wants: Wants): Wants {
    this.#members.push(wants);
    return async (ref, signal) => {
      const others = this.#members.filter((member) => member !== wants);
      for (const other of others) if (await other(ref, signal)) return true;
      return false;
    };
  }
}
