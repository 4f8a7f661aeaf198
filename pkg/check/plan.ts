import { DEFAULT_NAMESPACE, findInstalled, type Installed } from '#pkg/install';
import { isForbidden, type Gap } from '#pkg/object';
import { failure, ok, warning, type Check, type CheckPorts } from './check.ts';
import { cephRightsCheck } from './ceph-rights.ts';
import { installationChecks } from './installation.ts';
import { findLeader } from './lease.ts';
import { leftoverChecks } from './leftovers.ts';
import { replicaChecks } from './replicas.ts';
import { installingRights, lookingRights } from './rights.ts';
import { rookChecks } from './rook.ts';
import { serverChecks } from './server.ts';
import { webhookChecks } from './webhook.ts';

/** What there is of us: an installation, a controller that was started by hand, or nobody can tell. */
export type Present = Installed | { readonly holder: string } | Gap | undefined;

/** What is installed; where nothing is, whether a controller works from outside, as in the sandbox. */
export async function findPresent(ports: CheckPorts, signal: AbortSignal): Promise<Present> {
  const found = await findInstalled(ports.reader, signal);
  if (found) return found;
  const leader = await findLeader(DEFAULT_NAMESPACE, ports, signal).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
  });
  return leader?.kind === 'alive' ? { holder: leader.holder } : undefined;
}

/** Before an installation: whether it can work. */
export function preChecks(found: Present, ports: CheckPorts): readonly Check[] {
  return [
    ...serverChecks(ports),
    installingRights(ports),
    lookingRights(ports),
    ...rookChecks(ports),
    ...leftoverChecks(found !== undefined, ports),
  ];
}

/** Of an installation: whether it works. */
export function allChecks(found: Present, ports: CheckPorts): readonly Check[] {
  const installed = found && 'deployment' in found ? found : undefined;
  return [
    ...serverChecks(ports),
    lookingRights(ports),
    isInstalled(found),
    ...(installed
      ? [
          ...installationChecks(installed, ports),
          ...replicaChecks(installed, ports),
          ...webhookChecks(installed, ports),
          cephRightsCheck(installed, ports),
        ]
      : []),
    ...rookChecks(ports),
    ...leftoverChecks(found !== undefined, ports),
  ];
}

function isInstalled(found: Present): Check {
  return {
    section: 'Installation',
    title: 'rook-deps is installed',
    look: () => {
      if (!found) return Promise.resolve(failure('it is not', 'run: kubectl rook-deps install'));
      if ('deployment' in found) return Promise.resolve(ok(`namespace ${found.namespace}`));
      if ('holder' in found)
        return Promise.resolve(
          warning(
            `it is not, but a controller is at work: ${found.holder}`,
            'as in a sandbox: what it protects is protected while it runs',
          ),
        );
      return Promise.resolve(warning(`not looked at: ${found.reason}`, `you may not list ${found.what}`));
    },
  };
}
