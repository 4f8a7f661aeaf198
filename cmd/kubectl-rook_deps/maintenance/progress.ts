import type { Maintenance } from '#pkg/maintenance';
import { printable } from '#pkg/render';
import type { Io } from '../io.ts';

/** What is left when a command ends before its time: how to go on, and how to go back. */
export interface Way {
  /** What stays, in words. */
  readonly left: string;
  /** The words after `kubectl rook-deps maintenance`. */
  readonly onward: string;
  /** Nodes to stop. */
  readonly back: readonly string[];
}

export function wayOf(node: string, verb: 'start' | 'stop'): Way {
  return {
    left: `the maintenance of ${node} stays as it is`,
    onward: `${verb} ${node}`,
    back: verb === 'start' ? [node] : [],
  };
}

/** Says how a maintenance comes along: on a terminal on one line that changes, elsewhere a line for each news. */
export class MaintenanceProgress {
  readonly #io: Io;
  #told = '';

  constructor(io: Io) {
    this.#io = io;
  }

  note({ request, status }: Maintenance): void {
    const { phase, drain, blockedBy, lastError } = status;
    const pods = drain && phase === 'Draining' ? `, ${drain.pending} of ${drain.total} pods left` : '';
    const held = blockedBy.length > 0 ? blockedBy.map(({ message }) => message) : [status.message];
    const isNews = lastError !== undefined && !held.includes(lastError);
    const causes = (isNews ? [...held, `it failed: ${lastError}`] : held).filter((text) => text !== '');
    this.say(
      [`${request.node}: ${phase}${pods}`, causes.join('; ')].filter((text) => text !== '').join(': '),
    );
  }

  say(line: string): void {
    const text = printable(line);
    this.#io.showProgress(text);
    if (text === this.#told) return;
    this.#told = text;
    if (!this.#io.stderrIsTerminal) this.#io.error(text);
  }

  leave(why: string, { left, onward, back }: Way): void {
    const last = this.#told;
    this.end();
    // On a terminal it would be gone, with what was waited for.
    if (this.#io.stderrIsTerminal && last !== '') this.#io.error(last);
    this.#io.error(printable(`error: ${why}; ${left}`));
    this.#io.error(printable(`To go on:   kubectl rook-deps maintenance ${onward}`));
    for (const node of back)
      this.#io.error(printable(`To go back: kubectl rook-deps maintenance stop ${node}`));
  }

  end(): void {
    this.#told = '';
    this.#io.showProgress(undefined);
  }
}
