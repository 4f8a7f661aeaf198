import { sameKind, type ObjectRef } from '#pkg/object';
import { IN_USE_LABEL, mark, unmark, type MarkPorts, type Wants } from '#pkg/protection';
import { lookAgain, waitForChange, type Outcome, type Reconciler } from '#pkg/runtime';
import { NAMESPACE } from './namespaces.ts';

const SOON_MS = 1_000;

export interface NamespaceMarkPorts extends MarkPorts {
  /** From the cache; undefined for a namespace that is not there, or is being deleted. */
  isMarked(namespace: string): boolean | undefined;
  /** Whether anything outside of it needs what is in a namespace, or may need it; from the cache. */
  isNeeded(namespace: string): boolean;
  /** Whether all that exists is known: only then is what is not known not there. */
  isComplete(): boolean;
  readonly isWantedElsewhere: Wants;
}

/** Marks namespaces whose deletion is to be asked about: with them would go what others need. */
export class NamespaceMarks implements Reconciler<string> {
  readonly #ports: NamespaceMarkPorts;
  /** Those that were needed since we began: only their marks are ours to take off. What is left over, others sweep. */
  readonly #needed = new Set<string>();

  constructor(ports: NamespaceMarkPorts) {
    this.#ports = ports;
  }

  /** Whether there is anything to do about a namespace, as far as the cache knows. */
  isDue(name: string): boolean {
    const { isMarked, isNeeded } = this.#ports;
    const known = isMarked(name);
    if (known === undefined) return false;
    const isWanted = isNeeded(name);
    if (isWanted) this.#needed.add(name);
    return isWanted ? !known : known && this.#needed.has(name);
  }

  /** Whether to leave a mark where it is: by others who would take it off. */
  keeps(ref: ObjectRef): boolean {
    return sameKind(ref, NAMESPACE) && (this.#ports.isNeeded(ref.name) || !this.#ports.isComplete());
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Outcome> {
    if (!this.isDue(name)) return waitForChange;
    const ref = { ...NAMESPACE, name };
    if (this.#ports.isNeeded(name)) {
      await mark(ref, IN_USE_LABEL, this.#ports, signal);
      return waitForChange;
    }
    // Often it is only for a moment that not all is known: whatever changes has to be sorted first.
    if (!this.#ports.isComplete()) return lookAgain(SOON_MS);
    const isWanted = async (): Promise<boolean> =>
      this.keeps(ref) || (await this.#ports.isWantedElsewhere(ref, signal));
    await unmark(ref, IN_USE_LABEL, isWanted, this.#ports, signal);
    if (!this.keeps(ref)) this.#needed.delete(name);
    return waitForChange;
  }
}
