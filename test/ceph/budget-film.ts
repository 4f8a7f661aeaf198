import { setTimeout as sleep } from 'node:timers/promises';
import { listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import { osdLabels } from '#test/fixtures/osds.ts';
import type { OsdPlace } from '../../scripts/ceph/index.ts';
import type { Client } from '../controller/client.ts';

const FRAME_MS = 50;

/** The budgets of one moment: how many select each OSD. */
export interface Frame {
  readonly names: readonly string[];
  /** By OSD. */
  readonly covering: readonly number[];
}

/** Looks at all budgets every 50 ms. */
export class BudgetFilm {
  readonly frames: Frame[] = [];
  readonly #client: Client;
  readonly #places: readonly OsdPlace[];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(client: Client, places: readonly OsdPlace[]) {
    this.#client = client;
    this.#places = places;
    this.#running = this.#run(this.#stop.signal);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** The sets of names that were seen, each as long as it lasted once. */
  get story(): readonly string[] {
    const sets = this.frames.map(({ names }) => names.join(' '));
    return sets.filter((set, at) => set !== sets[at - 1]);
  }

  /** Each once: an OSD that has to stay is without a budget, or one of the zone that drains has two. */
  mistakes(draining?: string): readonly string[] {
    const found = this.frames.flatMap(({ names, covering }) =>
      this.#places.flatMap(({ zone }, id) => {
        const count = covering[id] ?? 0;
        const isWrong = zone === draining ? count > 1 : count < 1;
        return isWrong ? [`osd.${id} has ${count}: ${names.join(' ')}`] : [];
      }),
    );
    return [...new Set(found)];
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.frames.push(await this.#shoot());
      await sleep(FRAME_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #shoot(): Promise<Frame> {
    const path = '/apis/policy/v1/namespaces/rook-ceph/poddisruptionbudgets';
    const { body } = await this.#client.send('GET', path, undefined);
    const budgets = (listAt(body, 'items') as readonly KubeObject[]).filter(({ metadata }) =>
      metadata.name.startsWith('rook-ceph-osd'),
    );
    return {
      names: budgets.map(({ metadata }) => metadata.name).sort(),
      covering: this.#places.map(
        ({ zone, host }, id) =>
          budgets.filter((budget) => selects(budget, osdLabels(id, { zone, node: host }))).length,
      ),
    };
  }
}

/** As the API server reads a selector. */
function selects(budget: KubeObject, labels: Readonly<Record<string, string>>): boolean {
  const fits = Object.entries(recordAt(budget, 'spec', 'selector', 'matchLabels')).every(
    ([key, value]) => labels[key] === value,
  );
  return (
    fits &&
    listAt(budget, 'spec', 'selector', 'matchExpressions').every((expression) => {
      const own = labels[textAt(expression, 'key') ?? ''];
      const isListed = listAt(expression, 'values').includes(own);
      const operator = textAt(expression, 'operator');
      if (operator === 'In') return isListed;
      return operator === 'NotIn' ? !isListed : own === undefined;
    })
  );
}
