import {
  allow,
  badRequest,
  forbidden,
  invalid,
  type AdmissionHandler,
  type AdmissionRequest,
} from '#pkg/admission';
import { NODE } from '#pkg/drain';
import { Kinds, type GroupKind, type KubeObject } from '#pkg/object';
import { parseMaintenance, requestFields, type MaintenanceRequest } from './maintenance.ts';
import { sameStatus } from './status.ts';

export interface AdmissionPorts {
  getNode(name: string, signal: AbortSignal): Promise<KubeObject | undefined>;
  mayDo(
    user: AdmissionRequest['userInfo'],
    verb: string,
    target: GroupKind & { readonly name?: string | undefined; readonly subresource?: string | undefined },
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** Lets in only maintenances of nodes that exist, by people who could do by hand what it does; and out likewise. */
export function maintenanceAdmission(ports: AdmissionPorts): AdmissionHandler {
  return async ({ operation, object, oldObject, userInfo }, signal) => {
    const subject = operation === 'DELETE' ? oldObject : object;
    if (!subject) return badRequest('a maintenance without its object cannot be judged');
    const { request } = parseMaintenance(subject);
    if (operation === 'UPDATE' && oldObject && sameRequest(request, parseMaintenance(oldObject).request))
      return allow();
    if (operation === 'CREATE' && !(await ports.getNode(request.node, signal)))
      return invalid(`nodes "${request.node}" not found`, 'spec.nodeName');
    const { username } = userInfo;
    if (operation === 'CREATE' && request.requestedBy !== undefined && request.requestedBy !== username)
      return invalid(`must be the one who asks, "${username}"`, 'spec.requestedBy');
    const refused = (what: string): ReturnType<typeof forbidden> =>
      forbidden(
        `to maintain a node one must be allowed to do it by hand, and user "${username}" cannot ${what}`,
      );
    if (!(await ports.mayDo(userInfo, 'patch', { ...NODE, name: request.node }, signal)))
      return refused(`patch nodes "${request.node}"`);
    if (operation === 'DELETE' || request.noDrain) return allow();
    const eviction = { group: '', kind: Kinds.Pod.kind, subresource: 'eviction' };
    return (await ports.mayDo(userInfo, 'create', eviction, signal))
      ? allow()
      : refused('create pods/eviction');
  };
}

function sameRequest(a: MaintenanceRequest, b: MaintenanceRequest): boolean {
  return sameStatus(requestFields(a), requestFields(b));
}
