import { CONTROLLER_NAME, rolloutLack, type Installed } from '#pkg/install';
import { listAt, numberAt, textAt, type KubeObject } from '#pkg/object';
import { failure, ok, warning, type Check, type CheckPorts } from './check.ts';
import { controllerRights } from './controller-rights.ts';
import { findLeader } from './lease.ts';
import { policyCheck } from './policies.ts';

const SECTION = 'Installation';
const AGAIN = 'run: kubectl rook-deps install';

/** What the Deployment, its definitions and its rights look like. */
export function installationChecks(
  { namespace, version, bundleHash, deployment }: Installed,
  ports: CheckPorts,
): readonly Check[] {
  const { reader, manifests, plugin } = ports;
  const get = (kind: string, group: string, name: string, where: string | undefined, signal: AbortSignal) =>
    reader.get({ group, kind }, where, name, signal);
  return [
    {
      section: SECTION,
      title: 'the definitions are established',
      async look(signal) {
        const wanted = (await manifests(namespace)).filter(({ kind }) => kind === 'CustomResourceDefinition');
        const found = await Promise.all(
          wanted.map(({ metadata }) =>
            get('CustomResourceDefinition', 'apiextensions.k8s.io', metadata.name, undefined, signal),
          ),
        );
        const missing = wanted
          .filter((_, at) => !isEstablished(found[at]))
          .map(({ metadata }) => metadata.name);
        return missing.length === 0 ? ok() : failure(`not ${missing.join(', ')}`, AGAIN);
      },
    },
    {
      section: SECTION,
      title: 'the cluster runs the bundle of this program',
      async look() {
        if (version !== plugin.version)
          return warning(`it runs ${version}, this is ${plugin.version}`, AGAIN);
        const isOther = plugin.bundleHash !== undefined && plugin.bundleHash !== bundleHash;
        return isOther ? warning(`it runs another build of ${version} (${bundleHash})`, AGAIN) : ok(version);
      },
    },
    {
      section: SECTION,
      title: 'all replicas are ready',
      async look(signal) {
        const lack = await rolloutLack(reader, namespace, signal);
        const ready = numberAt(deployment, 'status', 'readyReplicas') ?? 0;
        const hint = `kubectl describe deployment/${CONTROLLER_NAME} -n ${namespace}`;
        if (lack === undefined) return ok(`${ready} of ${numberAt(deployment, 'spec', 'replicas') ?? 1}`);
        return ready > 0 ? warning(lack, hint) : failure(lack, hint);
      },
    },
    {
      section: SECTION,
      title: 'one of them leads',
      async look(signal) {
        const leader = await findLeader(namespace, ports, signal);
        const hint = `kubectl logs -n ${namespace} deployment/${CONTROLLER_NAME} --all-pods`;
        if (leader.kind === 'none')
          return failure('nobody holds the lease, so nothing is protected anew', hint);
        return leader.kind === 'alive'
          ? ok(leader.holder)
          : failure(`${leader.holder} has not renewed the lease for ${leader.seconds} s`, hint);
      },
    },
    controllerRights(namespace, ports),
    policyCheck(namespace, ports),
  ];
}

function isEstablished(definition: KubeObject | undefined): boolean {
  return listAt(definition, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Established' && textAt(condition, 'status') === 'True',
  );
}
