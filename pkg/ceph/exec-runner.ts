import { fieldAt, isTrueAt, Kinds, listAt, textAt, type KubeObject, type Reader } from '#pkg/object';
import { reached } from './connection-trouble.ts';
import { OPERATOR, operatorPods, PROXY, proxyPods, TOOLBOX, toolboxPods } from './pods.ts';
import { CephSilent, withinLimit, type CephCommand, type CephRunner, type Finished } from './runner.ts';

/** A container to run programs in. */
export interface ExecTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface ExecPorts {
  readonly reader: Pick<Reader, 'list'>;
  /** Throws when it could not be learnt how the program ended. */
  exec(target: ExecTarget, command: readonly string[], signal: AbortSignal): Promise<Finished>;
  /** Nodes whose pods are better left alone: they may go away any moment. */
  avoids?(node: string): boolean;
}

/** A place to ask from, and the flags that lead to the right cluster there. */
interface Place {
  readonly target: ExecTarget;
  readonly node: string;
  readonly flags: readonly string[];
}

/** What `timeout` says when it had to end a program: that of coreutils, after SIGKILL, that of BusyBox. */
const TIMED_OUT = [124, 137, 143];
/** Of our limit, what the way to the pod may take. */
const TRAVEL_MS = 1000;

/** Runs programs in the operator's pod, or else in the toolbox; in the manager's where Rook itself has to. */
export function execRunner(clusterNamespace: string, ports: ExecPorts): CephRunner {
  /** The place that answered last, for `ceph` and for the other programs. */
  const lasts = new Map<boolean, Place>();
  async function tryAll(command: CephCommand, limit: AbortSignal): Promise<Finished> {
    const failures: string[] = [];
    const attempt = async (place: Place): Promise<Finished | undefined> => {
      try {
        const finished = await runIn(place, command, ports, limit);
        lasts.set(command.program === 'ceph', place);
        return finished;
      } catch (error) {
        limit.throwIfAborted();
        const reason = error instanceof Error ? error.message : String(error);
        failures.push(`in pod ${place.target.pod}: ${reason}`);
        return undefined;
      }
    };
    // What worked before is tried first, without looking for pods again.
    const last = lasts.get(command.program === 'ceph');
    const known = last && !ports.avoids?.(last.node) ? last : undefined;
    const again = known && (await attempt(known));
    if (again) return again;
    for (const place of await places(clusterNamespace, command, ports, limit)) {
      const finished = samePod(place, known) ? undefined : await attempt(place);
      if (finished) return finished;
    }
    throw new CephSilent(failures.join('; ') || noPod(clusterNamespace));
  }
  return { run: (command, signal) => withinLimit(command, signal, (limit) => tryAll(command, limit)) };
}

function samePod(a: Place, b: Place | undefined): boolean {
  return a.target.pod === b?.target.pod && a.target.namespace === b.target.namespace;
}

function noPod(namespace: string): string {
  return `there is no ready pod of the Rook operator, and no toolbox in namespace ${namespace}`;
}

async function runIn(
  { target, flags }: Place,
  command: CephCommand,
  { exec }: ExecPorts,
  signal: AbortSignal,
): Promise<Finished> {
  const seconds = Math.max(1, Math.floor((command.timeoutMs - TRAVEL_MS) / 1000));
  const connect = command.program === 'ceph' ? ['--connect-timeout', String(seconds)] : [];
  // A program that hangs would stay in the pod after we have gone.
  const limited = ['timeout', '-k', '1', String(seconds), command.program];
  const finished = await exec(target, [...limited, ...flags, ...connect, ...command.args], signal);
  if (TIMED_OUT.includes(finished.code)) {
    throw new CephSilent(`${command.program} had no answer within ${seconds} s`);
  }
  return reached(command, finished);
}

async function places(
  namespace: string,
  { program }: CephCommand,
  ports: ExecPorts,
  signal: AbortSignal,
): Promise<readonly Place[]> {
  const conf = `/var/lib/rook/${namespace}/${namespace}.config`;
  const { reader } = ports;
  const all = await Promise.all([
    program === 'ceph' ? { items: [] } : proxyPods(reader, namespace, signal),
    operatorPods(reader, namespace, signal),
    toolboxPods(reader, namespace, signal),
  ]);
  const [managers = [], operators = [], toolboxes = []] = all.map(({ items }) => items.filter(isReady));
  const isNear = ({ metadata }: KubeObject): number => (metadata.namespace === namespace ? 0 : 1);
  const found = [
    ...managers.map((pod) => placeIn(pod, PROXY, [])),
    ...operators
      .toSorted((a, b) => isNear(a) - isNear(b))
      .map((pod) => placeIn(pod, OPERATOR, ['--conf', conf])),
    ...toolboxes.map((pod) => placeIn(pod, TOOLBOX, [])),
  ];
  const leaving = found.length > 1 ? await cordonedNodes(ports, signal) : new Set();
  const isAvoided = ({ node }: Place): number => (leaving.has(node) || ports.avoids?.(node) ? 1 : 0);
  return found.toSorted((a, b) => isAvoided(a) - isAvoided(b));
}

/** Their pods are about to go. Who may not see nodes asks wherever an answer comes from. */
async function cordonedNodes({ reader }: ExecPorts, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { items } = await reader.list({ kind: Kinds.Node, detail: 'object' }, signal);
  const cordoned = items.filter((node) => isTrueAt(node, 'spec', 'unschedulable'));
  return new Set(cordoned.map(({ metadata }) => metadata.name));
}

function placeIn(pod: KubeObject, container: string, flags: readonly string[]): Place {
  const { name, namespace = '' } = pod.metadata;
  return { target: { namespace, pod: name, container }, node: textAt(pod, 'spec', 'nodeName') ?? '', flags };
}

function isReady(pod: KubeObject): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  if (textAt(pod, 'status', 'phase') !== 'Running') return false;
  return listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && fieldAt(condition, 'status') === 'True',
  );
}
