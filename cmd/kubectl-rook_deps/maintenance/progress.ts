import type { Maintenance } from '#pkg/maintenance';
import { printable } from '#pkg/render';
import type { Io } from '../io.ts';

/** Says how a maintenance comes along: on a terminal on one line that changes, elsewhere a line for each news. */
export class MaintenanceProgress {
  readonly #io: Io;
  #told = '';

  constructor(io: Io) {
    this.#io = io;
  }

  note({ request, status }: Maintenance): void {
    const { phase, drain, blockedBy } = status;
    const pods = drain && phase === 'Draining' ? `, ${drain.pending} of ${drain.total} pods left` : '';
    const { lastError } = status;
    const held = blockedBy.length > 0 ? blockedBy.map(({ message }) => message) : [status.message];
    const isNews = lastError !== undefined && !held.includes(lastError);
    const causes = isNews ? [...held, `it failed: ${lastError}`] : held;
    const head = `${request.node}: ${phase}${pods}`;
    this.#io.showProgress(printable(`${head}: ${causes.join('; ')}`));
    if (this.#io.stderrIsTerminal) return;
    const text = [phase, drain?.pending, ...causes].join('\n');
    if (text === this.#told) return;
    this.#told = text;
    this.#io.error(printable(`${head}${causes.some(Boolean) ? `: ${causes.join('; ')}` : ''}`));
  }

  /** How to go on, and how to go back. */
  leave(why: string, node: string, verb: 'start' | 'stop'): void {
    this.#io.showProgress(undefined);
    this.#io.error(`error: ${why}; the maintenance of ${printable(node)} stays as it is`);
    this.#io.error(`To go on:   kubectl rook-deps maintenance ${verb} ${printable(node)}`);
    if (verb === 'start') this.#io.error(`To go back: kubectl rook-deps maintenance stop ${printable(node)}`);
  }

  end(): void {
    this.#io.showProgress(undefined);
  }
}
