import type { ApiAnswer, Transport } from '#pkg/kube';
import { fieldAt, isRecord, listAt, recordAt, textAt } from '#pkg/object';
import type { SecretData } from './material.ts';
import type { CaBundlePort, SecretPort, StoredSecret, WebhookCall, WebhookTrust } from './ports.ts';

const JSON_PATCH = 'application/json-patch+json';

/** The Secret of that name, through the API server. */
export function kubeSecret(transport: Transport, namespace: string, name: string): SecretPort {
  const folder = `/api/v1/namespaces/${namespace}/secrets`;
  const what = `Secret "${name}"`;
  return {
    async read(signal) {
      const answer = await transport.request({ method: 'GET', path: `${folder}/${name}` }, signal);
      if (answer.status === 404) return undefined;
      return storedSecret(bodyOf(answer, `get ${what}`));
    },
    async write(data, resourceVersion, signal) {
      const metadata = { namespace, name, ...(resourceVersion !== undefined && { resourceVersion }) };
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        metadata,
        data: encoded(data),
      });
      const create = { method: 'POST', path: folder, body };
      const replace = {
        method: 'PATCH',
        path: `${folder}/${name}`,
        body: replacement(data, resourceVersion),
        contentType: JSON_PATCH,
      };
      const answer = await transport.request(resourceVersion === undefined ? create : replace, signal);
      // Gone since it was read: as good a reason to look again.
      if (answer.status === 409 || (answer.status === 404 && resourceVersion !== undefined)) return false;
      bodyOf(answer, `write ${what}`);
      return true;
    },
  };
}

/** Labels and type of the Secret stay as whoever installed it wants them. */
function replacement(data: SecretData, resourceVersion: string | undefined): string {
  return JSON.stringify([
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/data', value: encoded(data) },
  ]);
}

/** The validating webhook configurations of those names, as far as they exist. */
export function kubeCaBundles(transport: Transport, names: readonly string[]): CaBundlePort {
  const pathOf = (name: string): string =>
    `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`;
  const readOne = async (name: string, signal: AbortSignal): Promise<WebhookTrust[]> => {
    const answer = await transport.request({ method: 'GET', path: pathOf(name) }, signal);
    if (answer.status === 404) return [];
    const found = bodyOf(answer, `get ValidatingWebhookConfiguration "${name}"`);
    const resourceVersion = textAt(found, 'metadata', 'resourceVersion') ?? '';
    return [{ configuration: name, resourceVersion, webhooks: listAt(found, 'webhooks').map(callOf) }];
  };
  return {
    async read(signal) {
      return (await Promise.all(names.map((name) => readOne(name, signal)))).flat();
    },
    async publish({ configuration, resourceVersion }, calls, signal) {
      const body = JSON.stringify([
        { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
        ...calls.flatMap(changesFor),
      ]);
      const request = { method: 'PATCH', path: pathOf(configuration), body, contentType: JSON_PATCH };
      const answer = await transport.request(request, signal);
      if (answer.status === 409 || answer.status === 404) return false;
      bodyOf(answer, `patch ValidatingWebhookConfiguration "${configuration}"`);
      return true;
    },
  };
}

function callOf(webhook: unknown): WebhookCall {
  const config = fieldAt(webhook, 'clientConfig');
  const address = textAt(config, 'url') ?? textAt(config, 'service', 'path') ?? '/';
  return { bundle: decoded(fieldAt(config, 'caBundle')), address };
}

function changesFor({ bundle, address }: WebhookCall, index: number): readonly object[] {
  const config = `/webhooks/${index}/clientConfig`;
  return [
    { op: 'add', path: `${config}/caBundle`, value: Buffer.from(bundle).toString('base64') },
    { op: 'add', path: `${config}/${address.startsWith('/') ? 'service/path' : 'url'}`, value: address },
  ];
}

function storedSecret(secret: unknown): StoredSecret {
  const data = Object.entries(recordAt(secret, 'data'));
  return {
    data: Object.fromEntries(data.map(([key, value]) => [key, decoded(value)])),
    resourceVersion: textAt(secret, 'metadata', 'resourceVersion') ?? '',
  };
}

function encoded(data: SecretData): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
}

function decoded(value: unknown): string {
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : '';
}

function bodyOf({ status, body }: ApiAnswer, what: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(body);
  if (status >= 200 && status < 300 && isRecord(parsed)) return parsed;
  throw new Error(`cannot ${what}: ${textAt(parsed, 'message') ?? `status ${status}`}`);
}
