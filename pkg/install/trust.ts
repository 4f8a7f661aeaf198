import { hasToken, withoutToken, withToken } from '#pkg/admission';
import { fieldAt, isRecord, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
import { FIELD_MANAGER } from './names.ts';

/** Also matches objects that nobody has protected, so its outage would be felt by all who use Rook. */
const WIDE_WEBHOOK = 'rook.rook-deps.io';

/** What the controller has made for its webhook. */
export interface WebhookMaterial {
  /** As base64, the form in which a webhook configuration wants it. */
  readonly ca: string;
  /** Ends every path; one of an earlier version has none. */
  readonly token?: string | undefined;
}

type Webhook = Readonly<Record<string, unknown>>;

/**
 * The webhook configuration with the CA and the token in it. The controller keeps both up to date, so what it has
 * written is left to it. Without any CA no call can succeed: then the widest webhook does not insist yet.
 */
export function trusting(
  wanted: KubeObject,
  current: KubeObject | undefined,
  made: WebhookMaterial | undefined,
): KubeObject {
  const known =
    webhooksOf(current)
      .map(caOf)
      .find((text) => text !== undefined) ?? made?.ca;
  const webhooks = webhooksOf(wanted).map((webhook) => {
    const name = textAt(webhook, 'name') ?? '';
    const present = webhooksOf(current).find((other) => textAt(other, 'name') === name);
    const isOurs = (...path: readonly string[]): boolean => isWrittenByUs(current, name, path);
    const service = serviceFor(webhook, present, isOurs('f:service', 'f:path'), made?.token);
    const presentCa = present && caOf(present);
    const isLeft = presentCa !== undefined && !isOurs('f:caBundle');
    const caBundle = isLeft ? undefined : (presentCa ?? known);
    const clientConfig = {
      ...recordAt(webhook, 'clientConfig'),
      ...(service && { service }),
      ...(caBundle && { caBundle }),
    };
    const isTrusted = isLeft || caBundle !== undefined;
    const isLenient = name === WIDE_WEBHOOK && !isTrusted;
    return { ...webhook, clientConfig, ...(isLenient && { failurePolicy: 'Ignore' }) };
  });
  return { ...wanted, webhooks };
}

/** The Service that a webhook is called at. A path of ours is repeated, since leaving it out would remove it. */
function serviceFor(
  webhook: Webhook,
  present: Webhook | undefined,
  isOurs: boolean,
  token: string | undefined,
): object | undefined {
  const wanted = pathOf(webhook);
  if (wanted === undefined) return undefined;
  const { path: _, ...service } = { path: undefined, ...recordAt(webhook, 'clientConfig', 'service') };
  const found = present && pathOf(present);
  if (found === undefined || !hasToken(found) || withoutToken(found) !== wanted)
    return { ...service, path: token === undefined ? wanted : withToken(wanted, token) };
  return isOurs ? { ...service, path: found } : service;
}

/** Whether the widest webhook lets things pass while it cannot be called; others may be meant to. */
export function isLenient(configuration: KubeObject): boolean {
  return webhooksOf(configuration).some(
    (webhook) => textAt(webhook, 'name') === WIDE_WEBHOOK && textAt(webhook, 'failurePolicy') === 'Ignore',
  );
}

function webhooksOf(configuration: KubeObject | undefined): readonly Webhook[] {
  return listAt(configuration, 'webhooks').filter(isRecord);
}

function caOf(webhook: Webhook): string | undefined {
  return textAt(webhook, 'clientConfig', 'caBundle');
}

function pathOf(webhook: Webhook): string | undefined {
  return textAt(webhook, 'clientConfig', 'service', 'path');
}

function isWrittenByUs(current: KubeObject | undefined, name: string, field: readonly string[]): boolean {
  const path = ['f:webhooks', `k:${JSON.stringify({ name })}`, 'f:clientConfig', ...field];
  return (current?.metadata.managedFields ?? []).some(
    ({ manager, operation, fieldsV1 }) =>
      manager === FIELD_MANAGER && operation === 'Apply' && fieldAt(fieldsV1, ...path) !== undefined,
  );
}
