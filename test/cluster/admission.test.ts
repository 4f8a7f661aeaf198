import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  AdmissionServer,
  allow,
  badRequest,
  CertificateKeeper,
  conflict,
  forbidden,
  invalid,
  kubeCaBundles,
  kubeSecret,
  noMetrics,
  targetOf,
  unavailable,
  type AdmissionHandler,
  type AdmissionRequest,
  type Answer,
} from '#pkg/admission';
import { systemClock } from '#pkg/clock';
import { connect, type Transport } from '#pkg/kube';
import { silentLogger } from '#pkg/log';
import { fieldAt, listAt, textAt } from '#pkg/object';
import { createAuthority, issueServing } from '../../pkg/admission/certificates/issue.ts';
import { inspect, materialOf, secretDataOf } from '../../pkg/admission/certificates/material.ts';
import { DEFAULT_POLICY } from '../../pkg/admission/certificates/policy.ts';
import { apply, controlPlane, describeOnCluster, freshNamespace, kubectl } from './control-plane.ts';

const HOOK = 'admission-test.rook-deps.io';
const NAMES = ['hook.rook-deps-system.svc', '127.0.0.1'];
const DENIED = `admission webhook "${HOOK}" denied the request:`;

let namespace: string;
let port: number;
let transport: Transport;
let server: AdmissionServer;
let keeper: CertificateKeeper;
let decide: AdmissionHandler;
let asked: AdmissionRequest[];
const stopping = new AbortController();
let running: Promise<void>;

function configuration(): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: namespace },
    webhooks: [
      {
        name: HOOK,
        clientConfig: { url: `https://127.0.0.1:${port}/delete` },
        rules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            resources: ['configmaps'],
            operations: ['CREATE', 'DELETE'],
          },
        ],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        timeoutSeconds: 3,
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}

function deletions(handler: AdmissionHandler): AdmissionHandler {
  return (request, signal) =>
    request.operation === 'DELETE' ? handler(request, signal) : Promise.resolve(allow());
}

const refusing = (answer: Answer): AdmissionHandler => deletions(() => Promise.resolve(answer));

async function configMaps(...names: string[]): Promise<void> {
  await apply(names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name } })));
}

async function send(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const { status, body: text } = await transport.request(
    { method, path, body: body && JSON.stringify(body) },
    AbortSignal.timeout(20_000),
  );
  return { status, body: JSON.parse(text) };
}

const pathOf = (name = ''): string => `/api/v1/namespaces/${namespace}/configmaps${name && `/${name}`}`;

/** A new connection, as an API server makes it that has only now read its configuration. */
async function handshake(): Promise<string> {
  const [trust] = await kubeCaBundles(transport, [namespace]).read(stopping.signal);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connectTls({ host: '127.0.0.1', port, ca: trust?.webhooks[0]?.bundle });
  socket.once('secureConnect', () => resolve(socket.getPeerCertificate().fingerprint256));
  socket.once('error', reject);
  return promise.finally(() => socket.destroy());
}

/** Of an answer to somebody who is not the API server. */
async function statusOf(url: string, ca: string): Promise<number | undefined> {
  const sent = request(url, { method: 'POST', ca, headers: { 'content-type': 'application/json' } });
  sent.end('{}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

function keeperWith(policy: Partial<typeof DEFAULT_POLICY> = {}): CertificateKeeper {
  return new CertificateKeeper({
    secret: kubeSecret(transport, namespace, 'webhook'),
    caBundles: kubeCaBundles(transport, [namespace, 'there-is-no-such']),
    names: NAMES,
    use: (serving) => server.useCertificate(serving),
    useToken: (token) => server.useToken(token),
    clock: systemClock,
    logger: silentLogger,
    policy,
  });
}

describeOnCluster('the webhook', () => {
  beforeAll(async () => {
    namespace = await freshNamespace('admission');
    const { server: url, ca, adminToken } = controlPlane();
    const connection = {
      server: url,
      namespace,
      tls: { ca, insecure: false, serverName: undefined },
      user: { name: 'admin', token: adminToken },
      impersonation: undefined,
      proxyUrl: undefined,
      requestTimeoutMs: 0,
      disableCompression: false,
      env: {},
    };
    transport = await connect(connection, { userAgent: 'admission-test', onWarning: () => undefined });
    server = new AdmissionServer({
      host: '127.0.0.1',
      port: 0,
      handlers: new Map<string, AdmissionHandler>([
        [
          '/delete',
          (request, signal) => {
            asked.push(request);
            return decide(request, signal);
          },
        ],
      ]),
      clock: systemClock,
      logger: silentLogger,
      metrics: noMetrics,
      limits: { farewellMs: 0 },
    });
    port = await server.listen();
    running = server.run(stopping.signal);
    await apply([configuration()]);
    keeper = keeperWith();
    await keeper.maintain(stopping.signal);
    await keeper.reload(stopping.signal);
  });

  beforeEach(() => {
    asked = [];
    decide = () => Promise.resolve(allow());
  });

  afterAll(async () => {
    await kubectl(['delete', 'validatingwebhookconfiguration', namespace]);
    transport.close();
    stopping.abort();
    await running;
  });

  test('is trusted by the API server with the certificates that the keeper made', async () => {
    await configMaps('trusted');
    expect(await kubectl(['delete', 'configmap', 'trusted', '-n', namespace])).toMatchObject({ code: 0 });
    expect(asked.map(({ operation }) => operation)).toEqual(['CREATE', 'DELETE']);
    expect(asked[1]).toMatchObject({ name: 'trusted', dryRun: false, userInfo: { username: 'admin' } });
  });

  test.for<{ answer: Answer; stderr: string }>([
    {
      answer: conflict('ConfigMap is in use by Pod "shop"', []),
      stderr: `Error from server (Conflict): ${DENIED} ConfigMap is in use by Pod "shop"`,
    },
    {
      answer: conflict(['in use by:', '  Pod "a\u001b[31m"', '  Pod "b"'], []),
      stderr: `Error from server (Conflict): ${DENIED} in use by:\n  Pod "a^[[31m"\n  Pod "b"`,
    },
    {
      answer: forbidden('you may not'),
      stderr: `Error from server (Forbidden): ${DENIED} you may not`,
    },
    {
      answer: unavailable('Ceph does not answer'),
      stderr: `Error from server (ServiceUnavailable): ${DENIED} Ceph does not answer`,
    },
    {
      answer: badRequest('not for me'),
      stderr: `Error from server (BadRequest): ${DENIED} not for me`,
    },
    {
      answer: invalid('is wrong', 'spec.of'),
      stderr: 'The ConfigMap "refused" is invalid: spec.of: is wrong',
    },
    {
      answer: invalid('is wrong'),
      stderr: `The request is invalid: ${DENIED} is wrong`,
    },
  ])('refuses once, at once, in words that kubectl shows: $answer.kind', async ({ answer, stderr }) => {
    await configMaps('refused');
    decide = refusing(answer);
    asked = [];
    const result = await kubectl(['delete', 'configmap', 'refused', '-n', namespace]);
    expect(result).toMatchObject({ code: 1, stderr: `${stderr}\n` });
    expect(asked).toHaveLength(1);
  });

  test('passes all causes on as they are', async () => {
    await configMaps('causes');
    const causes = Array.from({ length: 300 }, (_, index) => ({
      reason: 'RD013',
      message: `Pod "p${index}" mounts it`,
      field: 'spec.volumes',
    }));
    decide = refusing(conflict('in use', causes));
    const { status, body } = await send('DELETE', pathOf('causes'));
    expect(status).toBe(409);
    expect(fieldAt(body, 'reason')).toBe('Conflict');
    const { uid } = asked.at(-1)?.oldObject?.metadata ?? {};
    expect(fieldAt(body, 'details')).toEqual({ name: 'causes', kind: 'ConfigMap', uid, causes });
  });

  test('shows warnings', async () => {
    await configMaps('warned');
    decide = deletions(() => Promise.resolve(allow({ warnings: ['forced\nby alice'] })));
    const { code, stderr } = await kubectl(['delete', 'configmap', 'warned', '-n', namespace]);
    expect([code, stderr]).toEqual([0, 'Warning: forced\\nby alice\n']);
  });

  test('is told of dry runs, policies and preconditions', async () => {
    await configMaps('dry');
    decide = refusing(conflict('in use', []));
    const dry = await kubectl(['delete', 'configmap', 'dry', '-n', namespace, '--dry-run=server']);
    expect(dry.stderr).toContain('in use');
    expect(asked.at(-1)).toMatchObject({ dryRun: true, options: { propagationPolicy: 'Background' } });
    const { uid } = asked.at(-1)?.oldObject?.metadata ?? {};
    const options = { propagationPolicy: 'Foreground', preconditions: { uid } };
    await send('DELETE', pathOf('dry'), options);
    expect(asked.at(-1)).toMatchObject({ dryRun: false, options });
  });

  test('sees each object of a deleted collection by its old object alone', async () => {
    await configMaps('c1', 'c2', 'c3');
    decide = deletions((request) =>
      Promise.resolve(targetOf(request).name === 'c2' ? conflict('c2 is in use', []) : allow()),
    );
    asked = [];
    const { status } = await send('DELETE', `${pathOf()}?fieldSelector=metadata.name!=refused`);
    expect(status).toBe(409);
    expect(asked.map(({ name }) => name)).not.toContain('c1');
    expect(asked.map((request) => targetOf(request))).toEqual(
      expect.arrayContaining([{ group: '', kind: 'ConfigMap', namespace, name: 'c1' }]),
    );
    expect(asked.every(({ name, oldObject }) => name === undefined && oldObject !== undefined)).toBe(true);
    expect((await send('GET', pathOf('c2'))).status).toBe(200);
  });

  test('answers before the API server loses patience', async () => {
    await configMaps('slow');
    decide = deletions(() => new Promise(() => undefined));
    const { stderr } = await kubectl(['delete', 'configmap', 'slow', '-n', namespace]);
    expect(stderr).toBe(
      `Error from server (ServiceUnavailable): ${DENIED} could not find out within 2.4 s whether this is safe, so it is refused; try again\n`,
    );
  });

  test('takes a review of six megabytes, which is an object of one', async () => {
    const data = { text: '<'.repeat(1_048_000) };
    await apply([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'large' }, data }]);
    decide = refusing(conflict('in use', []));
    expect((await send('DELETE', pathOf('large'))).status).toBe(409);
    expect(textAt(asked.at(-1)?.oldObject, 'data', 'text')).toHaveLength(1_048_000);
  });

  test(
    'changes its CA in the middle of steady deletes without a failed call',
    { timeout: 120_000 },
    async () => {
      // Seven of its ten years are over: due for replacement, while what is served is new.
      const bornMs = Date.now() - 7 * 365 * 24 * 3_600_000;
      const authority = await createAuthority(DEFAULT_POLICY, bornMs);
      const first = await issueServing(authority, NAMES, DEFAULT_POLICY, Date.now());
      const secret = kubeSecret(transport, namespace, 'webhook');
      const stored = await secret.read(stopping.signal);
      const version = stored?.resourceVersion;
      const { token } = materialOf(stored?.data ?? {});
      // Put in place without a gap: first trusted, then served.
      const trusts = kubeCaBundles(transport, [namespace]);
      for (const trust of await trusts.read(stopping.signal)) {
        const calls = trust.webhooks.map(({ bundle, address }) => ({
          bundle: bundle + authority.certificate,
          address,
        }));
        await trusts.publish(trust, calls, stopping.signal);
      }
      await secret.write(secretDataOf({ authority, serving: first, token }), version, stopping.signal);
      // Not below two seconds: certificates know no fractions of one.
      const rotating = keeperWith({ settleMs: 500, retireMs: 2_000, backdateMs: 0 });
      await rotating.reload(stopping.signal);

      const ends = new AbortController();
      const failures: unknown[] = [];
      let calls = 0;
      const deleting = (async () => {
        while (!ends.signal.aborted) {
          const name = `steady-${calls}`;
          const created = await send('POST', pathOf(), { metadata: { name } });
          const deleted = await send('DELETE', pathOf(name));
          calls += 2;
          for (const answer of [created, deleted]) if (answer.status > 201) failures.push(answer.body);
        }
      })();

      const signers: string[] = [];
      const served = new Set([await handshake()]);
      const state = async () =>
        inspect(materialOf((await secret.read(stopping.signal))?.data ?? {}), NAMES, Date.now());
      try {
        for (let look = 0; look < 100; look += 1) {
          const waitMs = await rotating.maintain(stopping.signal);
          // A replica that has not heard yet, and one that has.
          served.add(await handshake());
          await rotating.reload(stopping.signal);
          served.add(await handshake());
          const { serving, previous } = await state();
          signers.push(`${serving?.signedBy}${previous ? ' of two' : ''}`);
          // The waits of the plan, not of the test.
          if (waitMs > 60_000) break;
          await delay(waitMs);
        }
      } finally {
        ends.abort();
        await deleting;
      }
      expect([...new Set(signers)]).toEqual(['previous of two', 'authority of two', 'authority']);
      expect(failures).toEqual([]);
      expect(served.size).toBe(2);
      expect(calls).toBeGreaterThan(20);

      const { body } = await send(
        'GET',
        `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${namespace}`,
      );
      const [webhook] = listAt(body, 'webhooks');
      const bundle = Buffer.from(textAt(webhook, 'clientConfig', 'caBundle') ?? '', 'base64').toString();
      expect(bundle).toBe((await state()).authority?.pem);
      expect(bundle).not.toBe(authority.certificate);
      await configMaps('after-rotation');
      expect((await send('DELETE', pathOf('after-rotation'))).status).toBe(200);
    },
  );

  test('is called by a path that nobody else knows', async () => {
    await configMaps('secret-path');
    const [trust] = await kubeCaBundles(transport, [namespace]).read(stopping.signal);
    const { address = '', bundle: ca = '' } = trust?.webhooks[0] ?? {};
    expect(address).toMatch(/\/delete\/[0-9a-f]{64}$/);
    asked = [];
    expect(await statusOf(`https://127.0.0.1:${port}/delete`, ca)).toBe(404);
    expect(await statusOf(`https://127.0.0.1:${port}/delete/${'0'.repeat(64)}`, ca)).toBe(404);
    // Who knows it is listened to, though not with nothing to say.
    expect(await statusOf(address, ca)).toBe(400);
    expect(asked).toEqual([]);
    expect((await send('DELETE', pathOf('secret-path'))).status).toBe(200);
  });

  test(
    'comes to its token from an installation without one, refusing for no more than a moment',
    { timeout: 60_000 },
    async () => {
      const secret = kubeSecret(transport, namespace, 'webhook');
      const trusts = kubeCaBundles(transport, [namespace]);
      const addresses = async (): Promise<string[]> =>
        (await trusts.read(stopping.signal)).flatMap(({ webhooks }) => webhooks.map((call) => call.address));
      const stored = await secret.read(stopping.signal);
      const { token: _, ...before } = materialOf(stored?.data ?? {});
      await secret.write(secretDataOf(before), stored?.resourceVersion, stopping.signal);
      for (const trust of await trusts.read(stopping.signal)) {
        const address = `https://127.0.0.1:${port}/delete`;
        await trusts.publish(
          trust,
          trust.webhooks.map((call) => ({ ...call, address })),
          stopping.signal,
        );
      }
      const upgraded = keeperWith({ settleMs: 2_000 });
      await upgraded.reload(stopping.signal);

      const ends = new AbortController();
      const keeping = [upgraded.lead(ends.signal), upgraded.follow(ends.signal)];
      const failedAtMs: number[] = [];
      let [plainly, privately] = [0, 0];
      for (let round = 0; privately < 10; round += 1) {
        const name = `upgraded-${round}`;
        const [address = ''] = await addresses();
        const created = await send('POST', pathOf(), { metadata: { name } });
        const deleted = await send('DELETE', pathOf(name));
        const isDone = created.status === 201 && deleted.status === 200;
        if (!isDone) failedAtMs.push(Date.now());
        else if (address.endsWith('/delete')) plainly += 1;
        else privately += 1;
      }
      ends.abort();
      await Promise.all(keeping);
      expect(plainly).toBeGreaterThan(0);
      expect(Math.max(...failedAtMs, 0) - Math.min(...failedAtMs, Infinity)).toBeLessThan(1_000);
      const token = materialOf((await secret.read(stopping.signal))?.data ?? {}).token;
      expect(await addresses()).toEqual([`https://127.0.0.1:${port}/delete/${token}`]);
      const ca = (await trusts.read(stopping.signal))[0]?.webhooks[0]?.bundle ?? '';
      expect(await statusOf(`https://127.0.0.1:${port}/delete`, ca)).toBe(404);
    },
  );

  test('writes nothing to the cluster when its certificates are well', async () => {
    const versions = async (): Promise<unknown[]> => {
      const secret = await kubeSecret(transport, namespace, 'webhook').read(stopping.signal);
      const trusts = await kubeCaBundles(transport, [namespace]).read(stopping.signal);
      return [secret?.resourceVersion, ...trusts.map(({ resourceVersion }) => resourceVersion)];
    };
    const before = await versions();
    await keeper.maintain(stopping.signal);
    await keeper.reload(stopping.signal);
    expect(await versions()).toEqual(before);
  });

  test('heals a Secret that was emptied by hand, whoever of two leaders is first', async () => {
    await kubectl([
      'patch',
      'secret',
      'webhook',
      '-n',
      namespace,
      '--type=json',
      '-p',
      '[{"op":"remove","path":"/data"}]',
    ]);
    const rivals = [keeperWith(), keeperWith()];
    await Promise.all(rivals.map((rival) => rival.maintain(stopping.signal)));
    await keeper.reload(stopping.signal);
    await configMaps('healed');
    expect((await send('DELETE', pathOf('healed'))).status).toBe(200);
  });
});
