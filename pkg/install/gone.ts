import { refOf, type KubeObject, type Reader } from '#pkg/object';
import { nameOf } from './change.ts';
import { waitFor, type PatiencePorts } from './patience.ts';

/** Waits until none of the objects is left; another one under the same name does not count. */
export async function untilGone(
  objects: readonly KubeObject[],
  reader: Reader,
  deadlineMs: number,
  ports: PatiencePorts,
  signal: AbortSignal,
): Promise<void> {
  const left = [...objects];
  const lacking = async (stop: AbortSignal): Promise<string | undefined> => {
    for (let first = left[0]; first && (await isGone(first, reader, stop)); first = left[0]) left.shift();
    return left[0] && `${nameOf(left[0])} is still there`;
  };
  await waitFor('the end of what was deleted', lacking, deadlineMs, ports, signal);
}

async function isGone(object: KubeObject, reader: Reader, signal: AbortSignal): Promise<boolean> {
  const { namespace, name, uid } = object.metadata;
  const found = await reader.get(refOf(object), namespace, name, signal);
  return found === undefined || found.metadata.uid !== uid;
}
