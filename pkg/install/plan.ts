import { keyOf, refOf, type KubeObject } from '#pkg/object';
import { isCephBinding } from './ceph-binding.ts';
import { EDIT_LABEL, GRANT_LABEL, MANAGED_BY } from './names.ts';
import { trusting, type WebhookMaterial } from './trust.ts';

/** An object to apply, and what is there now. */
export interface ApplyStep {
  readonly object: KubeObject;
  readonly current?: KubeObject | undefined;
}

/** What an installation does, in order. */
export interface InstallPlan {
  readonly steps: readonly ApplyStep[];
  /** After the controller is ready, with what it has made. */
  webhooks(made: WebhookMaterial | undefined): readonly ApplyStep[];
  /** After the webhooks: lets people make what they check. */
  readonly admitting: readonly ApplyStep[];
  /** Of an earlier version; needed until the roll-out is done. */
  readonly outdated: readonly KubeObject[];
}

/** These hold what people have made: never taken away because a newer version does without. */
const KEPT = new Set(['Namespace', 'CustomResourceDefinition']);

/** Compares what is there with what is wanted. `current` are the objects of those names, and all that we manage. */
export function planInstall(current: readonly KubeObject[], wanted: readonly KubeObject[]): InstallPlan {
  const byKey = new Map(current.map((object) => [keyOf(refOf(object)), object]));
  const steps = wanted
    .map((object) => ({ object, current: byKey.get(keyOf(refOf(object))) }))
    .filter((step) => !isLeftAlone(step));
  const isWebhook = ({ object }: ApplyStep): boolean => object.kind === 'ValidatingWebhookConfiguration';
  const wantedKeys = new Set(wanted.map((object) => keyOf(refOf(object))));
  return {
    steps: steps.filter((step) => !isWebhook(step) && !isAdmitting(step.object)),
    webhooks: (made) =>
      steps.filter(isWebhook).map((step) => ({ ...step, object: trusting(step.object, step.current, made) })),
    admitting: steps.filter(({ object }) => isAdmitting(object)),
    outdated: current.filter(
      (object) => isManaged(object) && !wantedKeys.has(keyOf(refOf(object))) && isReplaceable(object),
    ),
  };
}

/** Whether it lets people make protections: worth nothing while no webhook checks what they make. */
export function isAdmitting({ kind, metadata }: KubeObject): boolean {
  return kind === 'ClusterRole' && metadata.labels?.[EDIT_LABEL] === 'true';
}

/** A namespace or a right to ask Ceph that somebody else has made stays his; what is immutable and named by its content is right. */
function isLeftAlone({ object, current }: ApplyStep): boolean {
  if (!current) return false;
  return object.kind === 'Namespace' || isCephBinding(object)
    ? !isManaged(current)
    : object['immutable'] === true && isManaged(current);
}

function isReplaceable({ kind, metadata }: KubeObject): boolean {
  return !KEPT.has(kind) && metadata.labels?.[GRANT_LABEL] === undefined;
}

export function isManaged({ metadata }: KubeObject): boolean {
  return Object.entries(MANAGED_BY).every(([name, value]) => metadata.labels?.[name] === value);
}
