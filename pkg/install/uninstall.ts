import {
  isConflict,
  Kinds,
  refOf,
  UserError,
  type Gap,
  type KubeObject,
  type ObjectRef,
  type Reader,
  type Writer,
} from '#pkg/object';
import type { Change } from './change.ts';
import { untilGone } from './gone.ts';
import { removeMade } from './made.ts';
import { CONTROLLER_NAME, LEASE_NAME } from './names.ts';
import type { PatiencePorts } from './patience.ts';
import { isAdmitting } from './plan.ts';
import type { Survey } from './survey.ts';
import { findHeld, findMarked, unhold, unlabel, type Traces } from './traces.ts';

export interface UninstallPorts extends PatiencePorts {
  readonly reader: Reader;
  readonly writer: Pick<Writer, 'patch' | 'delete'>;
  report(change: Change): void;
  warn(text: string): void;
}

export interface UninstallRequest {
  readonly dryRun: boolean;
  readonly timeoutMs: number;
}

/** Asked and obeyed by the API server: gone first, so that nothing is refused by somebody who is about to leave. */
const ADMISSION = new Set([
  'ValidatingWebhookConfiguration',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingAdmissionPolicy',
]);

/** Removes all that is ours from a cluster. May be run again after an interruption. True when nothing is left. */
export async function uninstall(
  found: Survey,
  request: UninstallRequest,
  ports: UninstallPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const deadlineMs = ports.clock.now() + request.timeoutMs;
  const removeAll = async (fits: (object: KubeObject) => boolean): Promise<void> => {
    const objects = found.objects.filter(fits);
    for (const object of objects) await remove(object, request, ports, signal);
    if (!request.dryRun) await untilGone(objects, ports.reader, deadlineMs, ports, signal);
  };
  const isController = ({ kind, metadata }: KubeObject): boolean =>
    kind === 'Deployment' && metadata.name === CONTROLLER_NAME;

  // Before the webhook that checks what people make.
  await removeAll(isAdmitting);
  await removeAll(({ kind }) => ADMISSION.has(kind));
  // Before the labels: it would put them back, and take a usage that goes for a reason to repeat deletions.
  await removeAll(isController);
  await giveUpComposites(request, deadlineMs, ports, signal);
  const isUndone = await removeMade(ports, request.dryRun, signal);
  const isClean = (await removeTraces(found, request, ports, signal)) && isUndone;
  await removeAll(({ kind }) => kind === 'CustomResourceDefinition');
  const isLate = ({ kind }: KubeObject): boolean => kind === 'Namespace';
  await removeAll(
    (object) =>
      !ADMISSION.has(object.kind) &&
      !isAdmitting(object) &&
      !isController(object) &&
      object.kind !== 'CustomResourceDefinition' &&
      !isLate(object),
  );
  await removeLeases(found, request, ports, signal);
  await removeAll(isLate);
  return isClean;
}

/**
 * Without this the garbage collector would take the end of their definition for a reason to delete all that they own: the
 * storage itself.
 */
async function giveUpComposites(
  { dryRun }: UninstallRequest,
  deadlineMs: number,
  ports: UninstallPorts,
  signal: AbortSignal,
): Promise<void> {
  // Those that were made since the survey as well.
  const request = { kind: Kinds.StorageComposite, detail: 'metadata' } as const;
  const { items: composites, gaps } = await ports.reader.list(request, signal);
  const [gap] = gaps;
  if (gap) throw new UserError(`error: cannot list ${gap.what}: ${gap.reason}`);
  for (const object of composites) {
    const options = { uid: object.metadata.uid, propagationPolicy: 'Orphan', dryRun } as const;
    await ports.writer.delete(refOf(object), options, signal);
    ports.report({ object, word: 'released' });
  }
  if (!dryRun) await untilGone(composites, ports.reader, deadlineMs, ports, signal);
}

/**
 * Finalizers first: a label may be on what they hold. A dry run only looks, as the policy is still there and would
 * refuse. False when something of ours had to be left.
 */
async function removeTraces(
  { ownKinds }: Survey,
  { dryRun }: UninstallRequest,
  ports: UninstallPorts,
  signal: AbortSignal,
): Promise<boolean> {
  const unlessDry =
    (change: typeof unhold) =>
    async (object: KubeObject): Promise<void> =>
      dryRun ? undefined : change(object, ports, signal);
  const held = await findHeld(ports.reader, ownKinds, signal);
  const isReleased = await strip(held, 'released', unlessDry(unhold), ports);
  const marked = await findMarked(ports.reader, signal);
  const isUnlabeled = await strip(marked, 'unlabeled', unlessDry(unlabel), ports);
  return isReleased && isUnlabeled;
}

async function strip(
  { objects, gaps }: Traces,
  word: 'released' | 'unlabeled',
  change: (object: KubeObject) => Promise<void>,
  { report, warn }: UninstallPorts,
): Promise<boolean> {
  for (const gap of gaps) warn(`not looked at: ${describe(gap)}`);
  const results = await Promise.allSettled(
    objects.map(async (object) => {
      await change(object);
      report({ object, word });
    }),
  );
  const failures = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  for (const failure of failures) warn(failure instanceof Error ? failure.message : String(failure));
  return failures.length === 0 && gaps.length === 0;
}

function describe({ what, reason }: Gap): string {
  return `${what}: ${reason}`;
}

/** Only where the namespace stays: else they go with it. */
async function removeLeases(
  { objects }: Survey,
  { dryRun }: UninstallRequest,
  { writer }: UninstallPorts,
  signal: AbortSignal,
): Promise<void> {
  const namespace = objects.find(({ kind }) => kind === 'ServiceAccount')?.metadata.namespace;
  const isGoing = objects.some(({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace);
  if (namespace === undefined || isGoing) return;
  const lease: ObjectRef = { group: 'coordination.k8s.io', kind: 'Lease', namespace, name: LEASE_NAME };
  await writer.delete(lease, { dryRun }, signal);
}

async function remove(
  object: KubeObject,
  { dryRun }: UninstallRequest,
  { writer, report }: UninstallPorts,
  signal: AbortSignal,
): Promise<void> {
  // A Deployment is gone with its last pod, and with it whoever writes.
  const propagationPolicy = object.kind === 'Deployment' ? 'Foreground' : 'Background';
  try {
    await writer.delete(refOf(object), { uid: object.metadata.uid, propagationPolicy, dryRun }, signal);
  } catch (error) {
    // Replaced since we looked: not what was surveyed.
    if (!isConflict(error)) throw error;
  }
  report({ object, word: 'deleted' });
}
