import {
  AdmissionServer,
  CertificateKeeper,
  deletionHandler,
  kubeCaBundles,
  kubeSecret,
  serviceNames,
  type AdmissionHandler,
} from '#pkg/admission';
import { delayedWatcher } from '#pkg/cache';
import { systemClock } from '#pkg/clock';
import { canaryGuard } from '#pkg/install';
import {
  connect,
  kubeCensus,
  kubeReader,
  kubeWatcher,
  kubeWriter,
  Limiter,
  podEviction,
  podExec,
  refreshedTypes,
  type Connection,
  type Transport,
} from '#pkg/kube';
import type { Logger } from '#pkg/log';
import { SharedMark } from '#pkg/protection';
import {
  createMetrics,
  gate,
  healthServer,
  leaderElector,
  leaderOnly,
  leasePort,
  measureEventLoopLag,
  runInStages,
  uniqueIdentity,
  type Component,
  type Metrics,
} from '#pkg/runtime';
import { contentsReader } from '../ceph-contents.ts';
import type { CephMode } from '../ceph-mode.ts';
import { cephWays } from '../ceph.ts';
import { VERSION } from '../release.ts';
import { certificateWatch } from './certificate-watch.ts';
import { criticalServiceFeature } from './critical-service-feature.ts';
import type { Feature, Machinery } from './feature.ts';
import { disruptionFeature } from './disruption-feature.ts';
import { accessReviewer, eventRecorder } from './kube-ports.ts';
import { dependentsFeature } from './dependents-feature.ts';
import { maintenanceFeature } from './maintenance-feature.ts';
import { storageClaimFeature } from './storage-claim-feature.ts';
import { usageFeature } from './usage-feature.ts';

export interface ControllerSettings {
  readonly connection: Connection;
  readonly namespace: string;
  /** Which replica this is. */
  readonly host: string;
  readonly listenOn: string;
  readonly webhookPort: number;
  readonly healthPort: number;
  /** Names besides the Service's under which the webhook is called. */
  readonly extraNames: readonly string[];
  readonly drainMs: number;
  /** A configuration file for the programs of this machine, instead of those in the operator's pod. */
  readonly cephConf?: string | undefined;
  /** Whether deletions wait for what only Ceph can tell. */
  readonly cephMode: CephMode;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Holds back what watches bring, to see that no answer rests on them. */
  readonly watchDelayMs: number;
}

const NAME = 'rook-deps';
const WEBHOOK = 'rook-deps-webhook';
const GRACE_MS = 20_000;
/** Each is a process, in the operator's pod. */
const MAX_CEPH_QUESTIONS = 4;

const FEATURES: readonly ((machinery: Machinery) => Feature)[] = [
  usageFeature,
  dependentsFeature,
  criticalServiceFeature,
  storageClaimFeature,
  disruptionFeature,
  maintenanceFeature,
];

/** The controller and webhook: reconcilers on the leader, the webhook on every replica. */
export async function runController(
  settings: ControllerSettings,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const [transport, leaseTransport] = [
    await connected(settings.connection, logger),
    // On a connection of their own: a renewal must not wait behind long lists.
    await connected(settings.connection, logger),
  ];
  const lag = measureEventLoopLag();
  try {
    const metrics = await createMetrics('rook_deps_');
    metrics.watchEventLoop(lag);
    const machinery = machineryOf(settings, transport, metrics, logger);
    const features = FEATURES.map((feature) => feature(machinery));
    const server = admissionServer(settings, features, machinery);
    const certificates = certificateKeeper(settings, transport, server, machinery);
    const elector = leaderElector({
      namespace: settings.namespace,
      name: NAME,
      identity: uniqueIdentity(settings.host),
      leases: leasePort(
        kubeReader(leaseTransport, {}),
        kubeWriter(leaseTransport, refreshedTypes(leaseTransport, systemClock)),
      ),
      clock: systemClock,
      logger,
    });
    metrics.watchLeading(() => elector.isLeading);

    const leaving = gate('shutdown', 'is shutting down');
    const health = healthServer({
      host: settings.listenOn,
      port: settings.healthPort,
      live: [],
      ready: [
        leaving,
        { name: 'certificate', problem: () => (certificates.isReady ? undefined : 'there is none yet') },
        ...features.flatMap(({ ready = [] }) => ready),
      ],
      exposition: () => metrics.exposition(),
      logger,
    });
    const options = { graceMs: GRACE_MS, logger, clock: systemClock };
    const leading: readonly Component[] = [
      { name: 'certificates', run: (aborted) => certificates.lead(aborted) },
      ...features.flatMap((feature) => feature.leading ?? []),
    ];
    const servers: readonly Component[] = [
      { name: 'webhook', run: (aborted) => server.run(aborted) },
      { name: 'serving certificate', run: (aborted) => certificates.follow(aborted) },
      health,
    ];
    const followers: readonly Component[] = [
      leaderOnly(elector, leading, { ...options, graceMs: GRACE_MS / 2 }),
      certificateWatch(
        { secret: WEBHOOK, namespace: settings.namespace, configuration: NAME },
        () => certificates.changed(),
        { ...machinery, random: Math.random },
      ),
      ...features.flatMap(({ everywhere = [] }) => everywhere),
    ];
    await runInStages(
      [servers, followers],
      { stopBeingReady: () => leaving.close(), drainMs: settings.drainMs },
      options,
      signal,
    );
  } finally {
    lag.stop();
    transport.close();
    leaseTransport.close();
  }
}

function connected(connection: Connection, logger: Logger): Promise<Transport> {
  return connect(connection, {
    userAgent: `rook-deps-controller/${VERSION}`,
    onWarning: (text) => logger.info('server warning', { text }),
  });
}

function machineryOf(
  { connection, namespace, host, watchDelayMs, cephConf, cephMode, env }: ControllerSettings,
  transport: Transport,
  metrics: Metrics,
  logger: Logger,
): Machinery {
  const clock = systemClock;
  const types = refreshedTypes(transport, clock);
  const writer = kubeWriter(transport, types);
  const live = kubeWatcher(transport, types);
  const reader = kubeReader(transport, { types, asksDefinitions: true });
  const ways = { reader, writer, exec: podExec(transport), conf: cephConf, env };
  return {
    namespace,
    connection,
    reader,
    inUse: new SharedMark(),
    cephOf: cephWays(ways, new Limiter(MAX_CEPH_QUESTIONS)),
    // In line by themselves: a crowd of deletions must not keep those waiting who see to a drain.
    contents: contentsReader(cephMode, ways, new Limiter(MAX_CEPH_QUESTIONS), clock),
    cephMode,
    writer,
    evict: podEviction(transport),
    watcher: watchDelayMs > 0 ? delayedWatcher(live, clock, () => watchDelayMs) : live,
    census: kubeCensus(transport, types),
    types,
    access: accessReviewer(writer, types),
    record: eventRecorder(writer, host, clock.now, (err) => logger.error('cannot write an event', { err })),
    metrics,
    clock,
    logger,
  };
}

function admissionServer(
  { namespace, listenOn, webhookPort }: ControllerSettings,
  features: readonly Feature[],
  { access, record, clock, logger, metrics }: Machinery,
): AdmissionServer {
  const deletion = deletionHandler(
    [canaryGuard(namespace), ...features.flatMap(({ guard }) => guard ?? [])],
    {
      mayForce: (user, ref, signal) => access(user, 'force-delete', ref, signal),
      record,
      notNoted: (err) => logger.error('cannot note a refusal', { err }),
    },
  );
  return new AdmissionServer({
    host: listenOn,
    port: webhookPort,
    handlers: new Map<string, AdmissionHandler>([
      ['/delete', deletion],
      ...features.flatMap(({ handlers = [] }) => [...handlers]),
    ]),
    clock,
    logger,
    metrics: {
      decided: ({ verdict, kind, durationMs }) => metrics.decided(verdict, kind.kind, durationMs),
      turnedAway: (status) => metrics.decided('turned-away', String(status), 0),
    },
  });
}

function certificateKeeper(
  { namespace, extraNames }: ControllerSettings,
  transport: Transport,
  server: AdmissionServer,
  { clock, logger, metrics }: Machinery,
): CertificateKeeper {
  const keeper = new CertificateKeeper({
    secret: kubeSecret(transport, namespace, WEBHOOK),
    caBundles: kubeCaBundles(transport, [NAME]),
    names: [...serviceNames(WEBHOOK, namespace), ...extraNames],
    use: (serving) => server.useCertificate(serving),
    useToken: (token) => server.useToken(token),
    clock,
    logger,
  });
  metrics.watchCertificateExpiry('serving', () => keeper.certificateExpiry().servingMs);
  metrics.watchCertificateExpiry('authority', () => keeper.certificateExpiry().authorityMs);
  return keeper;
}
