import { cephBinding, CONTROLLER_NAME } from '#pkg/install';
import { isForbidden, listAt, mayAccount, refOf, textAt, type AccessAttributes } from '#pkg/object';
import type { CheckPorts } from './check.ts';

/** Whether the controller may do all this in a namespace, as the server would decide; who may not ask it goes by what install makes. */
export async function mayController(
  accesses: readonly AccessAttributes[],
  namespace: string,
  controllerNamespace: string,
  { reader, writer }: CheckPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const account = { namespace: controllerNamespace, name: CONTROLLER_NAME };
  try {
    for (const access of accesses) if (!(await mayAccount(account, access, writer, signal))) return false;
    return true;
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
