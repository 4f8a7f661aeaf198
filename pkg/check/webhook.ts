import { X509Certificate } from 'node:crypto';
import { CANARY_NAME, WEBHOOK_CONFIGURATION, WEBHOOK_NAME, type Installed } from '#pkg/install';
import { isForbidden, isRecord, listAt, textAt, type KubeObject } from '#pkg/object';
import { failure, ok, warning, type Check, type CheckPorts } from './check.ts';

const SECTION = 'Webhook';
const AGAIN = 'run: kubectl rook-deps install';
const DAY_MS = 86_400_000;
/** Certificates are renewed after two thirds of their 90 days. */
const SOON_MS = 14 * DAY_MS;

/** Whether deletions are really asked about. */
export function webhookChecks(
  { namespace }: Installed,
  { reader, writer, manifests, now }: CheckPorts,
): readonly Check[] {
  const configuration = (signal: AbortSignal): Promise<KubeObject | undefined> =>
    reader.get(
      { group: 'admissionregistration.k8s.io', kind: 'ValidatingWebhookConfiguration' },
      undefined,
      WEBHOOK_CONFIGURATION,
      signal,
    );
  const secret = (signal: AbortSignal): Promise<KubeObject | undefined> =>
    reader.get({ group: '', kind: 'Secret' }, namespace, WEBHOOK_NAME, signal);
  const logs = `kubectl logs -n ${namespace} deployment/rook-deps-controller --all-pods`;
  return [
    {
      section: SECTION,
      title: 'the configuration has every webhook, and insists',
      async look(signal) {
        const found = webhooksOf(await configuration(signal));
        const wanted = webhooksOf(
          (await manifests()).find(({ kind }) => kind === 'ValidatingWebhookConfiguration'),
        );
        const missing = [...wanted.keys()].filter((name) => !found.has(name));
        if (missing.length > 0) return failure(`not ${missing.join(', ')}`, AGAIN);
        const lenient = [...wanted].filter(
          ([name, webhook]) => textAt(found.get(name), 'failurePolicy') !== textAt(webhook, 'failurePolicy'),
        );
        return lenient.length === 0
          ? ok()
          : warning(
              `${lenient.map(([name]) => name).join(', ')} lets things pass while nobody answers`,
              AGAIN,
            );
      },
    },
    {
      section: SECTION,
      title: 'the API server trusts the certificate that is served',
      async look(signal) {
        const data = await secret(signal).catch((error: unknown) => unlessForbidden(error));
        if (data === 'forbidden') return unseen(namespace);
        const ca = textAt(data, 'data', 'ca.crt');
        if (!ca) return failure('there is no certificate', logs);
        const trusted = [...webhooksOf(await configuration(signal)).values()].map((webhook) =>
          textAt(webhook, 'clientConfig', 'caBundle'),
        );
        const isTrusted = trusted.every((bundle) => bundle !== undefined && holds(bundle, ca));
        return isTrusted ? ok() : failure('the caBundle of a webhook is not that of the controller', logs);
      },
    },
    {
      section: SECTION,
      title: 'the certificate is good for a while',
      async look(signal) {
        const data = await secret(signal).catch((error: unknown) => unlessForbidden(error));
        if (data === 'forbidden') return unseen(namespace);
        const pem = textAt(data, 'data', 'tls.crt');
        if (!pem) return failure('there is no certificate', logs);
        const endMs = Date.parse(new X509Certificate(Buffer.from(pem, 'base64')).validTo);
        const days = Math.floor((endMs - now()) / DAY_MS);
        if (endMs <= now()) return failure('it has ended', logs);
        return endMs - now() > SOON_MS ? ok(`${days} days`) : warning(`${days} days are left`, logs);
      },
    },
    {
      section: SECTION,
      title: 'it answers a deletion (a dry run)',
      async look(signal) {
        const ref = { group: '', kind: 'ConfigMap', namespace, name: CANARY_NAME };
        const result = await writer.delete(ref, { dryRun: true }, signal).catch((error: unknown) => error);
        if (result === 'deleted') return ok();
        if (result === 'absent') return failure(`there is no ConfigMap ${CANARY_NAME} to try it on`, AGAIN);
        const detail = result instanceof Error ? result.message : String(result);
        return isForbidden(result)
          ? warning(detail, `ask somebody who may delete ConfigMaps in ${namespace}`)
          : failure(detail, `protected objects cannot be deleted now; ${logs}`);
      },
    },
  ];
}

function webhooksOf(configuration: KubeObject | undefined): ReadonlyMap<string, unknown> {
  const webhooks = listAt(configuration, 'webhooks').filter(isRecord);
  return new Map(webhooks.map((webhook) => [textAt(webhook, 'name') ?? '', webhook]));
}

/** Both in base64; a bundle may hold an older CA as well. */
function holds(bundle: string, ca: string): boolean {
  const text = (base64: string): string => Buffer.from(base64, 'base64').toString().trim();
  return text(bundle).includes(text(ca));
}

function unlessForbidden(error: unknown): 'forbidden' {
  if (isForbidden(error)) return 'forbidden';
  throw error;
}

function unseen(namespace: string): ReturnType<typeof warning> {
  return warning('not looked at', `you may not read Secret ${WEBHOOK_NAME} in ${namespace}`);
}
