import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  CANARY_ANSWER,
  CANARY_NAME,
  WEBHOOK_CONFIGURATION,
  WEBHOOK_NAME,
  type Installed,
} from '#pkg/install';
import { isForbidden, isRecord, listAt, recordAt, textAt, type KubeObject } from '#pkg/object';
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
      title: 'the configuration has every webhook as it should be, and insists',
      async look(signal) {
        const found = webhooksOf(await configuration(signal));
        const wanted = webhooksOf(
          (await manifests(namespace)).find(({ kind }) => kind === 'ValidatingWebhookConfiguration'),
        );
        const missing = [...wanted.keys()].filter((name) => !found.has(name));
        if (missing.length > 0) return failure(`not ${missing.join(', ')}`, AGAIN);
        const other = [...wanted].filter(([name, webhook]) => !isAskedAlike(webhook, found.get(name)));
        if (other.length > 0)
          return failure(`asked about something else: ${other.map(([name]) => name).join(', ')}`, AGAIN);
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
        const pem = textAt(data, 'data', 'tls.crt');
        if (!pem) return failure('there is no certificate', logs);
        const served = new X509Certificate(Buffer.from(pem, 'base64'));
        const doubtful = [...webhooksOf(await configuration(signal))]
          .filter(([, webhook]) => !isTrusted(served, textAt(webhook, 'clientConfig', 'caBundle') ?? ''))
          .map(([name]) => name);
        return doubtful.length === 0
          ? ok()
          : failure(`the caBundle does not vouch for it: ${doubtful.join(', ')}`, logs);
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
      title: 'it is asked about a deletion, and answers (a dry run)',
      async look(signal) {
        const ref = { group: '', kind: 'ConfigMap', namespace, name: CANARY_NAME };
        const result = await writer.delete(ref, { dryRun: true }, signal).catch((error: unknown) => error);
        const detail = result instanceof Error ? result.message : String(result);
        if (detail.includes(CANARY_ANSWER)) return ok();
        if (result === 'deleted') return failure('it was not asked: the deletion would have passed', AGAIN);
        if (result === 'absent') return failure(`there is no ConfigMap ${CANARY_NAME} to try it on`, AGAIN);
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

/** Whether it is asked about the same requests as it should be. What a selector leaves out, the server fills in. */
function isAskedAlike(wanted: unknown, found: unknown): boolean {
  const scopeOf = (webhook: unknown): unknown => [
    ...['rules', 'matchConditions'].map((field) => listAt(webhook, field)),
    ...['namespaceSelector', 'objectSelector'].map((field) => recordAt(webhook, field)),
    textAt(webhook, 'matchPolicy'),
  ];
  return isDeepStrictEqual(scopeOf(wanted), scopeOf(found));
}

/** By any CA of the bundle: there may be an older one as well. */
function isTrusted(served: X509Certificate, bundle: string): boolean {
  const pems = Buffer.from(bundle, 'base64')
    .toString()
    .match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  return (pems ?? []).some((pem) => {
    const authority = new X509Certificate(pem);
    return served.checkIssued(authority) && served.verify(authority.publicKey);
  });
}

function unlessForbidden(error: unknown): 'forbidden' {
  if (isForbidden(error)) return 'forbidden';
  throw error;
}

function unseen(namespace: string): ReturnType<typeof warning> {
  return warning('not looked at', `you may not read Secret ${WEBHOOK_NAME} in ${namespace}`);
}
