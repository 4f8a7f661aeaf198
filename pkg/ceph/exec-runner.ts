import { reached } from './connection-trouble.ts';
import { findPlaces, isStillGood, type ExecTarget, type Place, type PlacePorts } from './places.ts';
import { PROXY } from './pods.ts';
import { CephSilent, withinLimit, type CephCommand, type CephRunner, type Finished } from './runner.ts';
import { verifiedRunner } from './verified-runner.ts';

export interface ExecPorts extends PlacePorts {
  /** Throws when it could not be learnt how the program ended. */
  exec(target: ExecTarget, command: readonly string[], signal: AbortSignal): Promise<Finished>;
}

/** The cluster to ask: where its CephCluster is, and its identity where that is known. */
export interface AskedCluster {
  readonly namespace: string;
  readonly fsid?: string | undefined;
}

/** A place that is asked, or was. */
interface Station extends CephRunner {
  readonly place: Place;
  /** Whether there was no other: then it has all the time. */
  readonly isOnly: boolean;
}

/** What `timeout` says when it had to end a program: that of coreutils, after SIGKILL, that of BusyBox. */
const TIMED_OUT = [124, 137, 143];
/** Of the time for a place, what the way to the pod may take. */
const TRAVEL_MS = 1000;
/** Of the time that is left, the part of a place that others follow: they must have enough if it hangs. */
const SHARE = 1 / 3;

/**
 * Runs programs in the operator's pod, or else in the toolbox; in the manager's where Rook itself has to. What was asked in
 * a pod that did not answer may still run there while another is asked: commands must bear to be run twice.
 */
export function execRunner(cluster: AskedCluster, ports: ExecPorts): CephRunner {
  /** What answered last, for `ceph` and for the other programs. */
  const lasts = new Map<boolean, Station>();

  async function tryAll(command: CephCommand, limit: AbortSignal): Promise<Finished> {
    const isCeph = command.program === 'ceph';
    const endsAt = performance.now() + command.timeoutMs;
    const failures: string[] = [];
    const attempt = async (station: Station, isLast: boolean): Promise<Finished | undefined> => {
      const timeoutMs = (endsAt - performance.now()) * (isLast ? 1 : SHARE);
      try {
        const shared = { ...command, timeoutMs };
        const finished = await withinLimit(shared, limit, (share) => station.run(shared, share));
        lasts.set(isCeph, station);
        return finished;
      } catch (error) {
        // Whatever it was: the next question looks for pods again.
        if (lasts.get(isCeph) === station) lasts.delete(isCeph);
        limit.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        failures.push(`in pod ${station.place.target.pod}: ${reason}`);
        return undefined;
      }
    };
    const known = await lastGood(lasts.get(isCeph), ports, limit);
    const again = known && (await attempt(known, known.isOnly));
    if (again) return again;
    const { found, lacks } = await findPlaces(cluster.namespace, command.program, ports, limit);
    const left = found.filter((place) => !isSamePod(place, known?.place));
    for (const [at, place] of left.entries()) {
      const station = stationAt(place, found.length === 1, cluster, ports);
      const finished = await attempt(station, at === left.length - 1);
      if (finished) return finished;
    }
    throw new CephSilent([...(failures.length > 0 ? failures : [noPod(cluster)]), ...lacks].join('; '));
  }
  return { run: (command, signal) => withinLimit(command, signal, (limit) => tryAll(command, limit)) };
}

/** A pod may have died since, with nobody there to say so: a question to it would hang. */
async function lastGood(
  last: Station | undefined,
  ports: ExecPorts,
  signal: AbortSignal,
): Promise<Station | undefined> {
  return last && (await isStillGood(last.place, ports, signal)) ? last : undefined;
}

function stationAt(place: Place, isOnly: boolean, { fsid }: AskedCluster, { exec }: ExecPorts): Station {
  const runner: CephRunner = { run: (command, signal) => runIn(place, command, exec, signal) };
  // The manager is a part of the cluster itself.
  const isSure = fsid === undefined || place.target.container === PROXY;
  return { ...(isSure ? runner : verifiedRunner(runner, fsid)), place, isOnly };
}

function isSamePod(a: Place, b: Place | undefined): boolean {
  return a.target.pod === b?.target.pod && a.target.namespace === b.target.namespace;
}

function noPod({ namespace }: AskedCluster): string {
  return `there is no ready pod of the Rook operator, and no toolbox in namespace ${namespace}`;
}

async function runIn(
  { target, flags }: Place,
  command: CephCommand,
  exec: ExecPorts['exec'],
  signal: AbortSignal,
): Promise<Finished> {
  const seconds = Math.max(1, Math.round((command.timeoutMs - TRAVEL_MS) / 1000));
  const connect = command.program === 'ceph' ? ['--connect-timeout', String(seconds)] : [];
  // A program that hangs would stay in the pod after we have gone.
  const limited = ['timeout', '-k', '1', String(seconds), command.program];
  const finished = await exec(target, [...limited, ...flags, ...connect, ...command.args], signal);
  if (TIMED_OUT.includes(finished.code)) {
    throw new CephSilent(`${command.program} had no answer within ${seconds} s`);
  }
  return reached(command, finished);
}
