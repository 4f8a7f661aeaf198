import { keyOf, refOf, type KubeObject, type ObjectKey } from '#pkg/object';
import { printable } from '#pkg/render';
import { planText, stepName, type Plan, type Progress, type Result } from '#pkg/teardown';
import { failureLines } from './failure.ts';
import type { Io } from './io.ts';

const MAX_NAMED = 20;

/** Says how a deletion comes along: on a terminal on one line that changes, elsewhere a line for each news. */
export class DeletionProgress {
  readonly #io: Io;
  readonly #total: number;
  readonly #all: ReadonlyMap<ObjectKey, KubeObject>;
  readonly #underWay = new Map<ObjectKey, KubeObject>();
  readonly #gone = new Set<ObjectKey>();
  #waited: readonly KubeObject[] = [];
  readonly #told = new Map<ObjectKey, string>();

  constructor(plan: Plan, io: Io) {
    this.#io = io;
    this.#all = new Map(plan.levels.flat().map(({ object }) => [keyOf(refOf(object)), object]));
    this.#total = this.#all.size;
  }

  note(progress: Progress): void {
    switch (progress.kind) {
      case 'level':
        for (const { object } of progress.steps)
          if (object.metadata.deletionTimestamp) this.#underWay.set(keyOf(refOf(object)), object);
        return;
      case 'accepted':
        return;
      case 'asked':
        this.#underWay.set(keyOf(refOf(progress.object)), progress.object);
        return;
      case 'gone':
        this.#sayGone(progress.object);
        return;
      case 'refused':
        this.#underWay.delete(keyOf(refOf(progress.object)));
        for (const line of failureLines(progress.error)) this.#io.error(line);
        return;
      case 'stays':
        this.#io.error(
          `${stepName(progress.object)} stays: ${printable(progress.otherOwner ? `${progress.otherOwner} owns it, too` : 'nothing owns it any more')}`,
        );
        return;
      case 'waiting':
        this.#waited = progress.remaining.map(({ object }) => object);
        this.#sayWaiting(progress.remaining);
    }
  }

  /** The last word: complete, or what is left and how to go on. */
  end(result: Result): void {
    this.#io.showProgress(undefined);
    switch (result.kind) {
      case 'done':
        return;
      case 'requested':
        for (const object of this.#underWay.values())
          this.#io.print(`${stepName(object)} deletion requested`);
        return;
      case 'obstructed':
        for (const line of planText(result.plan)) this.#io.error(line);
        for (const object of result.fresh)
          this.#io.error(`${stepName(object)} was not there when the plan was made`);
        this.#report('something has come in the way');
        return;
      case 'refused':
        this.#report(result.refused.length === 1 ? 'a deletion was refused' : 'deletions were refused');
        return;
      case 'timed-out':
        this.#report('timed out');
        return;
      case 'interrupted':
        this.#report('interrupted');
    }
  }

  /** Something failed that was no answer to a deletion. */
  fail(): void {
    this.#io.showProgress(undefined);
    this.#report('it could not go on');
  }

  #sayGone(object: KubeObject): void {
    const { namespace } = object.metadata;
    this.#gone.add(keyOf(refOf(object)));
    this.#underWay.delete(keyOf(refOf(object)));
    this.#io.print(
      `${stepName(object)} deleted${namespace ? printable(` from ${namespace} namespace`) : ''}`,
    );
  }

  #sayWaiting(remaining: Extract<Progress, { kind: 'waiting' }>['remaining']): void {
    const [first] = remaining;
    if (!first) return;
    const more = remaining.length > 1 ? ` and ${remaining.length - 1} more` : '';
    const gone = [...this.#gone].filter((key) => this.#all.has(key)).length;
    this.#io.showProgress(
      `${gone} of ${this.#total} gone; waiting for ${stepName(first.object)}${more}: ${printable(first.why)}`,
    );
    if (this.#io.stderrIsTerminal) return;
    for (const { object, why } of remaining) {
      const key = keyOf(refOf(object));
      if (this.#told.get(key) === why) continue;
      this.#told.set(key, why);
      this.#io.error(`waiting for ${stepName(object)}: ${printable(why)}`);
    }
  }

  #report(why: string): void {
    const left = [...this.#all].filter(([key]) => !this.#gone.has(key));
    const untouched = left.filter(([key]) => !this.#underWay.has(key)).map(([, object]) => object);
    const gone = this.#total - left.length;
    this.#io.error(`error: ${why}: ${gone} of ${this.#total} objects are gone`);
    this.#list('being deleted:', [...this.#underWay.values()]);
    this.#list('not touched:', untouched);
    // With the subject gone nothing leads to these any more.
    const followers = this.#waited.filter((object) => !this.#all.has(keyOf(refOf(object))));
    if (left.length === 0) this.#list('going with their owners, and still there:', followers);
    else this.#io.error('Run the same command again to go on.');
  }

  #list(title: string, objects: readonly KubeObject[]): void {
    if (objects.length === 0) return;
    this.#io.error(title);
    for (const object of objects.slice(0, MAX_NAMED)) {
      const { namespace } = object.metadata;
      this.#io.error(`  ${stepName(object)}${namespace ? printable(` in ${namespace} namespace`) : ''}`);
    }
    if (objects.length > MAX_NAMED) this.#io.error(`  and ${objects.length - MAX_NAMED} more`);
  }
}
