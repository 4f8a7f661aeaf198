import { operatorsOf, proxyPods, toolboxPods } from '#pkg/ceph';
import type { Installed } from '#pkg/install';
import { Kinds, listAt, type KubeObject } from '#pkg/object';
import { ok, warning, type Check, type CheckPorts } from './check.ts';
import { mayController } from './controller-access.ts';
import { externalStoreLacks, type Lack } from './external-stores.ts';

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
      const stores = await externalStoreLacks(namespace, ports, signal);
      const [first, ...others] = [...lacks, ...stores].filter((lack) => lack !== undefined);
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

/** Which of them counts depends on the version of the server. */
function mayExec(
  namespace: string,
  controllerNamespace: string,
  ports: CheckPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const exec = { resource: 'pods', subresource: 'exec', namespace };
  const both = ['get', 'create'].map((verb) => ({ verb, ...exec }));
  return mayController(both, namespace, controllerNamespace, ports, signal);
}

function namespacesOf(pods: readonly KubeObject[]): readonly string[] {
  return [...new Set(pods.flatMap(({ metadata }) => metadata.namespace ?? []))];
}
