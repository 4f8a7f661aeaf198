import { fieldAt, isRecord, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import { FIELD_MANAGER } from './names.ts';

/** Also matches objects that nobody has protected, so its outage would be felt by all who use Rook. */
const WIDE_WEBHOOK = 'rook.rook-deps.io';

type Webhook = Readonly<Record<string, unknown>>;

/**
 * The webhook configuration with the CA in it, as base64. The controller keeps the CA up to date, so what it has
 * written is left to it. Without any CA no call can succeed: then the widest webhook does not insist yet.
 */
export function trusting(
  wanted: KubeObject,
  current: KubeObject | undefined,
  ca: string | undefined,
): KubeObject {
  const known =
    webhooksOf(current)
      .map(caOf)
      .find((text) => text !== undefined) ?? ca;
  const webhooks = webhooksOf(wanted).map((webhook) => {
    const name = textAt(webhook, 'name') ?? '';
    const present = webhooksOf(current).find((other) => textAt(other, 'name') === name);
    const presentCa = present && caOf(present);
    if (presentCa && !isOurs(current, name)) return webhook;
    const caBundle = presentCa ?? known;
    if (caBundle) return { ...webhook, clientConfig: { ...recordAt(webhook, 'clientConfig'), caBundle } };
    return name === WIDE_WEBHOOK ? { ...webhook, failurePolicy: 'Ignore' } : webhook;
  });
  return { ...wanted, webhooks };
}

/** Whether any webhook of a configuration lets things pass while it cannot be called. */
export function isLenient(configuration: KubeObject): boolean {
  return webhooksOf(configuration).some((webhook) => textAt(webhook, 'failurePolicy') === 'Ignore');
}

function webhooksOf(configuration: KubeObject | undefined): readonly Webhook[] {
  return listAt(configuration, 'webhooks').filter(isRecord);
}

function caOf(webhook: Webhook): string | undefined {
  return textAt(webhook, 'clientConfig', 'caBundle');
}

function isOurs(current: KubeObject | undefined, name: string): boolean {
  const path = ['f:webhooks', `k:${JSON.stringify({ name })}`, 'f:clientConfig', 'f:caBundle'];
  return (current?.metadata.managedFields ?? []).some(
    ({ manager, operation, fieldsV1 }) =>
      manager === FIELD_MANAGER && operation === 'Apply' && fieldAt(fieldsV1, ...path) !== undefined,
  );
}
