import { withoutToken } from '#pkg/admission';
import { isRecord, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';

/** An object as it may be shown: a Secret without what it holds, webhooks without the token in their paths. */
export function withoutSecrets(object: KubeObject): KubeObject {
  if (object.kind === 'ValidatingWebhookConfiguration')
    return { ...object, webhooks: listAt(object, 'webhooks').map(withPlainAddress) };
  if (object.kind !== 'Secret') return object;
  const { data: _, stringData: __, ...shown } = { data: undefined, stringData: undefined, ...object };
  return shown;
}

function withPlainAddress(webhook: unknown): unknown {
  if (!isRecord(webhook)) return webhook;
  const config = recordAt(webhook, 'clientConfig');
  const url = textAt(config, 'url');
  const path = textAt(config, 'service', 'path');
  const clientConfig = {
    ...config,
    ...(url !== undefined && { url: withoutToken(url) }),
    ...(path !== undefined && { service: { ...recordAt(config, 'service'), path: withoutToken(path) } }),
  };
  return { ...webhook, clientConfig };
}
