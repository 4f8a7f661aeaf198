import { isToken } from '#pkg/admission';
import {
  groupOf,
  refOf,
  textAt,
  type KubeObject,
  type ListRequest,
  type Reader,
  type Writer,
} from '#pkg/object';
import { isCephBinding } from './ceph-binding.ts';
import { isSettled, wordFor, type Change } from './change.ts';
import { FIELD_MANAGER, MANAGED_SELECTOR, WEBHOOK_NAME } from './names.ts';
import { waitFor, type PatiencePorts } from './patience.ts';
import { planInstall, type ApplyStep, type InstallPlan } from './plan.ts';
import { webhookLack } from './probe.ts';
import { rolloutLack } from './rollout.ts';
import { isLenient, type WebhookMaterial } from './trust.ts';

export interface InstallPorts extends PatiencePorts {
  readonly reader: Reader;
  readonly writer: Writer;
  report(change: Change): void;
  warn(text: string): void;
}

export interface InstallRequest {
  readonly namespace: string;
  /** In the order in which they are applied. */
  readonly objects: readonly KubeObject[];
  readonly dryRun: boolean;
  /** How long to wait until everything works; undefined: not at all. */
  readonly waitMs: number | undefined;
}

/** Installs or upgrades. A second run changes nothing; at no moment of an upgrade is anything unprotected. */
export async function install(
  request: InstallRequest,
  ports: InstallPorts,
  signal: AbortSignal,
): Promise<void> {
  const plan = planInstall(await readCurrent(request.objects, ports.reader, signal), request.objects);
  const isFirst = !plan.steps.some(({ current }) => current?.kind === 'Deployment');
  for (const step of plan.steps) await apply(step, request, plan, ports, signal);
  if (request.dryRun) return finishDryRun(request, plan, ports, signal);
  const { waitMs } = request;
  if (waitMs === undefined) return finishAtOnce(request, plan, isFirst, ports, signal);
  const deadlineMs = ports.clock.now() + waitMs;
  await finishWhenReady(request, plan, deadlineMs, ports, signal);
}

/** The webhook configuration last: while nobody answers, it would refuse the deletion of any Rook resource. */
async function finishWhenReady(
  request: InstallRequest,
  plan: InstallPlan,
  deadlineMs: number,
  ports: InstallPorts,
  signal: AbortSignal,
): Promise<void> {
  const { reader, writer } = ports;
  const { namespace } = request;
  const controller = `the controller in namespace ${namespace}`;
  await waitFor(controller, (stop) => rolloutLack(reader, namespace, stop), deadlineMs, ports, signal);
  let made: WebhookMaterial | undefined;
  const lack = async (stop: AbortSignal): Promise<string | undefined> => {
    made = await readMade(reader, namespace, stop);
    return made === undefined ? 'the controller has not made them yet' : undefined;
  };
  await waitFor('the certificates of the webhook', lack, deadlineMs, ports, signal);
  for (const step of plan.webhooks(made)) await apply(step, request, plan, ports, signal);
  await waitFor('the webhook', (stop) => webhookLack(writer, namespace, stop), deadlineMs, ports, signal);
  for (const step of plan.admitting) await apply(step, request, plan, ports, signal);
  for (const object of plan.outdated) await remove(object, request, ports, signal);
}

async function finishAtOnce(
  request: InstallRequest,
  plan: InstallPlan,
  isFirst: boolean,
  ports: InstallPorts,
  signal: AbortSignal,
): Promise<void> {
  // What an older controller has made is still there during an upgrade.
  const made = isFirst ? undefined : await readMade(ports.reader, request.namespace, signal);
  for (const step of plan.webhooks(made)) {
    await apply(step, request, plan, ports, signal);
    if (isLenient(step.object))
      ports.warn(
        "nobody waits for the controller: until 'kubectl rook-deps install' is run once more, Rook resources can be deleted while it does not run",
      );
  }
  for (const step of plan.admitting) await apply(step, request, plan, ports, signal);
  // Whoever is to ask Ceph no more needs no right to it, either.
  for (const object of plan.outdated.filter(isCephBinding)) await remove(object, request, ports, signal);
}

async function finishDryRun(
  request: InstallRequest,
  plan: InstallPlan,
  ports: InstallPorts,
  signal: AbortSignal,
): Promise<void> {
  const made = await readMade(ports.reader, request.namespace, signal);
  for (const step of [...plan.webhooks(made), ...plan.admitting])
    await apply(step, request, plan, ports, signal);
  for (const object of plan.outdated) await remove(object, request, ports, signal);
}

async function apply(
  { object, current }: ApplyStep,
  { dryRun }: InstallRequest,
  plan: InstallPlan,
  { writer, report }: InstallPorts,
  signal: AbortSignal,
): Promise<void> {
  if (dryRun && isInNewNamespace(object, plan)) return report({ object, word: 'created' });
  const options = { fieldManager: FIELD_MANAGER, force: true };
  const preview = (dryRun || current) && (await writer.apply(object, { ...options, dryRun: true }, signal));
  // The server may store an apply that changes nothing, to sort its notes on who manages what.
  if (preview && (dryRun || (current && isSettled(current, preview))))
    return report({ object: preview, word: wordFor(current, preview) });
  const after = await writer.apply(object, options, signal);
  report({ object: after, word: wordFor(current, after) });
}

/** The server can check such an object only when its namespace is there. */
function isInNewNamespace({ metadata }: KubeObject, { steps }: InstallPlan): boolean {
  return steps.some(
    ({ object, current }) =>
      object.kind === 'Namespace' && !current && object.metadata.name === metadata.namespace,
  );
}

async function remove(
  object: KubeObject,
  { dryRun }: InstallRequest,
  { writer, report }: InstallPorts,
  signal: AbortSignal,
): Promise<void> {
  await writer.delete(refOf(object), { uid: object.metadata.uid, dryRun }, signal);
  report({ object, word: 'deleted' });
}

async function readMade(
  reader: Reader,
  namespace: string,
  signal: AbortSignal,
): Promise<WebhookMaterial | undefined> {
  const secret = await reader.get({ group: '', kind: 'Secret' }, namespace, WEBHOOK_NAME, signal);
  const ca = textAt(secret, 'data', 'ca.crt');
  const token = Buffer.from(textAt(secret, 'data', 'path-token') ?? '', 'base64').toString();
  return ca === undefined ? undefined : { ca, token: isToken(token) ? token : undefined };
}

/** The objects of those names, and whatever else of their kinds is ours. */
async function readCurrent(
  wanted: readonly KubeObject[],
  reader: Reader,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const named = wanted.map(({ apiVersion, kind, metadata }) =>
    reader.get({ group: groupOf(apiVersion), kind }, metadata.namespace, metadata.name, signal),
  );
  const kinds = new Map(wanted.map(({ apiVersion, kind }) => [kind, { group: groupOf(apiVersion), kind }]));
  const ours = [...kinds.values()].map((kind) => {
    const request: ListRequest = { kind, detail: 'metadata', labelSelector: MANAGED_SELECTOR };
    return reader.list(request, signal);
  });
  const listed = (await Promise.all(ours)).flatMap(({ items }) => items);
  const found = (await Promise.all(named)).filter((object) => object !== undefined);
  // Whole objects last: of two with one key, the last counts.
  return [...listed, ...found];
}
