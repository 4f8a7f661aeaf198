import type { Clock } from '#pkg/clock';
import { kindKey, numberAt, type KindKey, type KubeObject, type ObjectRef, type Writer } from '#pkg/object';
import type { Finding } from './finding.ts';
import { blockedStatus, isToldByRook, keptOf, ownMessage, type Keeps, type Statement } from './status.ts';
import { patchStatus } from './status-write.ts';
import { blockedMessage, unknownMessage } from './words.ts';

/** Room for some hundred names; an object may have 1.5 MB in all. */
const MAX_CONDITION_BYTES = 16 * 1024;
/** The server takes no more. */
const MAX_EVENT_BYTES = 1024;

/** While dependents go one by one, not each of them is worth a write. */
const CHANGE_MS = 5_000;
/** Who undoes what we have written does so again: no contest. */
const INSIST_MS = 60_000;
const EVENT_MS = 60_000;

export interface ReporterPorts {
  readonly writer: Pick<Writer, 'patch'>;
  /** Tells people what happened to an object. */
  record(object: KubeObject, reason: string, note: string, signal: AbortSignal): Promise<void>;
  readonly clock: Clock;
}

interface Said {
  readonly message: string;
  readonly atMs: number;
}

/** Says in status and Events that a deletion is blocked, as often as there is something new to say. */
export class Reporter {
  readonly #ports: ReporterPorts;
  readonly #keeps = new Map<KindKey, Keeps>();
  /** By UID. */
  readonly #written = new Map<string, Said>();
  readonly #told = new Map<string, Said>();

  constructor(ports: ReporterPorts) {
    this.#ports = ports;
  }

  /** Returns when there will be more to say, if that is known. */
  async report(
    ref: ObjectRef,
    object: KubeObject,
    finding: Finding,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const statement = statementOf(finding);
    const { uid = '' } = object.metadata;
    // After a restart the condition tells what was said before.
    const known = ownMessage(object);
    if (known !== undefined && !this.#told.has(uid)) this.#told.set(uid, { message: known, atMs: 0 });
    const [written] = await Promise.allSettled([this.#write(ref, object, statement, signal)]);
    // Of what has changed or gone since, there may be something else to say.
    if (written.status === 'rejected' && isOutdated(written.reason)) throw written.reason;
    const toldMs = await this.#tell(object, statement, signal);
    if (written.status === 'rejected') throw written.reason;
    const left = [written.value, toldMs].filter((wait) => wait !== undefined);
    return left.length > 0 ? Math.min(...left) : undefined;
  }

  /** There is no more to say about it. */
  forget({ metadata: { uid = '' } }: KubeObject): void {
    this.#written.delete(uid);
    this.#told.delete(uid);
  }

  async #write(
    ref: ObjectRef,
    object: KubeObject,
    statement: Statement,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const now = this.#ports.clock.now();
    const keeps = this.#keeps.get(kindKey(ref)) ?? { phase: true, conditions: true };
    const status = blockedStatus(object, statement, keeps, now);
    if (!status) return undefined;
    const { uid = '' } = object.metadata;
    const pause = pauseMs(this.#written.get(uid), statement.message, now, CHANGE_MS, INSIST_MS);
    if (pause > 0) return pause;
    const written = await patchStatus(ref, object, { ...status }, this.#ports, signal);
    if (!written) return undefined;
    this.#written.set(uid, { message: statement.message, atMs: now });
    this.#keeps.set(kindKey(ref), { ...keeps, ...keptOf(written, status) });
    return undefined;
  }

  async #tell(object: KubeObject, statement: Statement, signal: AbortSignal): Promise<number | undefined> {
    // Its own Event about a pool names nobody.
    if (object.kind !== 'CephBlockPool' && isToldByRook(object, statement)) return undefined;
    const now = this.#ports.clock.now();
    const { uid = '' } = object.metadata;
    const told = this.#told.get(uid);
    if (told?.message === statement.message) return undefined;
    const pause = pauseMs(told, statement.message, now, EVENT_MS, EVENT_MS);
    if (pause > 0) return pause;
    this.#told.set(uid, { message: statement.message, atMs: now });
    const note =
      statement.reason === 'ObjectHasDependents'
        ? blockedMessage(statement.finding, MAX_EVENT_BYTES)
        : unknownMessage(statement.finding.gaps, MAX_EVENT_BYTES);
    await this.#ports.record(object, 'ReconcileFailed', note, signal);
    return undefined;
  }
}

function isOutdated(error: unknown): boolean {
  return [404, 409].includes(numberAt(error, 'status') ?? 0);
}

function statementOf(finding: Finding): Statement {
  return finding.blockers.length > 0
    ? {
        reason: 'ObjectHasDependents',
        message: blockedMessage(finding, MAX_CONDITION_BYTES),
        finding,
      }
    : { reason: 'DependentsUnknown', message: unknownMessage(finding.gaps, MAX_CONDITION_BYTES), finding };
}

function pauseMs(
  said: Said | undefined,
  message: string,
  now: number,
  changeMs: number,
  insistMs: number,
): number {
  if (!said) return 0;
  return said.atMs + (said.message === message ? insistMs : changeMs) - now;
}
