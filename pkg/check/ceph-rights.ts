import { operatorsOf, proxyPods, toolboxPods } from '#pkg/ceph';
import { cephBinding, CONTROLLER_NAME, type Installed } from '#pkg/install';
import { isForbidden, Kinds, listAt, mayAccount, refOf, textAt, type KubeObject } from '#pkg/object';
import { ok, warning, type Check, type CheckPorts } from './check.ts';

const MODE_FLAG = '--ceph=';

/** Whether the controller may ask Ceph, where it would. */
export function cephRightsCheck({ namespace, deployment }: Installed, ports: CheckPorts): Check {
  const mode = modeOf(deployment);
  return {
    section: 'Ceph',
    title: 'the controller may ask it before data would be lost',
    async look(signal) {
      if (mode === 'off') return ok('it is not asked: --ceph=off');
      const { items, gaps } = await ports.reader.list(
        { kind: Kinds.CephCluster, detail: 'metadata' },
        signal,
      );
      if (gaps[0])
        return warning(`not looked at: ${gaps[0].reason}`, 'you lack the right to list CephClusters');
      const lacks = await Promise.all(items.map((cluster) => lackFor(cluster, namespace, ports, signal)));
      const [first, ...others] = lacks.filter((lack) => lack !== undefined);
      if (first) return warning([first, ...others].map(({ text }) => text).join('; '), first.hint);
      return ok(`--ceph=${mode}${items.length > 0 ? '' : '; there is no CephCluster'}`);
    },
  };
}

/** As the controllers are started. */
function modeOf(deployment: KubeObject): string {
  const [container] = listAt(deployment, 'spec', 'template', 'spec', 'containers');
  const args = listAt(container, 'args').filter((arg) => typeof arg === 'string');
  return args.findLast((arg) => arg.startsWith(MODE_FLAG))?.slice(MODE_FLAG.length) ?? 'require';
}

interface Lack {
  readonly text: string;
  readonly hint: string;
}

/** Any operator of the cluster or its toolbox will do; where Rook itself has to ask in the manager, so do we. */
async function lackFor(
  { metadata }: KubeObject,
  controllerNamespace: string,
  ports: CheckPorts,
  signal: AbortSignal,
): Promise<Lack | undefined> {
  const { reader } = ports;
  const home = metadata.namespace ?? '';
  const name = `${home}/${metadata.name}`;
  const [operators, toolboxes, proxies] = await Promise.all([
    operatorsOf(home, ports, signal),
    toolboxPods(reader, home, signal),
    proxyPods(reader, home, signal),
  ]);
  const [gap] = [operators, toolboxes, proxies].flatMap(({ gaps }) => gaps);
  if (gap) return { text: `${name}: not looked at: ${gap.reason}`, hint: 'you lack the right to list pods' };
  const asked = namespacesOf([...operators.pods, ...toolboxes.items]);
  const [doubted] = operators.doubted;
  if (asked.length === 0 && doubted) return { text: `${name}: ${doubtOf(doubted)}`, hint: NO_POD };
  if (asked.length === 0) return { text: `${name}: there is no pod to ask in`, hint: NO_POD };
  const may = (where: string): Promise<boolean> => mayExec(where, controllerNamespace, ports, signal);
  const isSome = (await Promise.all(asked.map(may))).includes(true);
  const isProxied = proxies.items.length === 0 || (await may(home));
  if (isSome && isProxied) return undefined;
  const where = isSome ? home : asked.join(' or ');
  return {
    text: `${name}: it lacks pods/exec in namespace ${where}`,
    hint: 'run: kubectl rook-deps install',
  };
}

function doubtOf({ metadata }: KubeObject): string {
  return `pod ${metadata.namespace ?? ''}/${metadata.name} looks like Rook's operator, but it was not seen that it may update this CephCluster`;
}

const NO_POD = "is Rook's operator running? Else start the toolbox, and run: kubectl rook-deps install";

/** As the server would decide; who may not ask it goes by what install makes. */
async function mayExec(
  namespace: string,
  controllerNamespace: string,
  { reader, writer }: CheckPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const account = { namespace: controllerNamespace, name: CONTROLLER_NAME };
  const may = (verb: string): Promise<boolean> =>
    mayAccount(account, { verb, resource: 'pods', subresource: 'exec', namespace }, writer, signal);
  try {
    // Which of them counts depends on the version of the server.
    return (await may('get')) && (await may('create'));
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const wanted = cephBinding(namespace, controllerNamespace);
    const found = await reader.get(refOf(wanted), namespace, wanted.metadata.name, signal);
    return (
      textAt(found, 'roleRef', 'name') === textAt(wanted, 'roleRef', 'name') &&
      listAt(found, 'subjects').some(
        (subject) =>
          textAt(subject, 'name') === account.name && textAt(subject, 'namespace') === account.namespace,
      )
    );
  }
}

function namespacesOf(pods: readonly KubeObject[]): readonly string[] {
  return [...new Set(pods.flatMap(({ metadata }) => metadata.namespace ?? []))];
}
