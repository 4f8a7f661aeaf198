import type { Installed } from '#pkg/install';
import type { Gap } from '#pkg/object';
import { failure, ok, warning, type Check, type CheckPorts } from './check.ts';
import { cephRightsCheck } from './ceph-rights.ts';
import { installationChecks } from './installation.ts';
import { leftoverChecks } from './leftovers.ts';
import { replicaChecks } from './replicas.ts';
import { installingRights, lookingRights } from './rights.ts';
import { rookChecks } from './rook.ts';
import { serverChecks } from './server.ts';
import { webhookChecks } from './webhook.ts';

/** Before an installation: whether it can work. */
export function preChecks(ports: CheckPorts): readonly Check[] {
  return [
    ...serverChecks(ports),
    installingRights(ports),
    lookingRights(ports),
    ...rookChecks(ports),
    ...leftoverChecks(undefined, ports),
  ];
}

/** Of an installation: whether it works. */
export function allChecks(found: Installed | Gap | undefined, ports: CheckPorts): readonly Check[] {
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
    ...leftoverChecks(installed, ports),
  ];
}

function isInstalled(found: Installed | Gap | undefined): Check {
  return {
    section: 'Installation',
    title: 'rook-deps is installed',
    look: () => {
      if (!found) return Promise.resolve(failure('it is not', 'run: kubectl rook-deps install'));
      if ('deployment' in found) return Promise.resolve(ok(`namespace ${found.namespace}`));
      return Promise.resolve(warning(`not looked at: ${found.reason}`, `you may not list ${found.what}`));
    },
  };
}
