import {
  AdmissionServer,
  CertificateKeeper,
  kubeCaBundles,
  kubeSecret,
  serviceNames,
  type AdmissionHandler,
} from '#pkg/admission';
import { delayedWatcher } from '#pkg/cache';
import { systemClock } from '#pkg/clock';
import { connect, kubeReader, kubeWatcher, kubeWriter, refreshedTypes, type Connection } from '#pkg/kube';
import type { Logger } from '#pkg/log';
import { isConflict, keyOf, type ObjectRef } from '#pkg/object';
import {
  controller,
  createMetrics,
  gate,
  healthServer,
  leaderElector,
  leaderOnly,
  leasePort,
  measureEventLoopLag,
  Queue,
  runInStages,
  uniqueIdentity,
  type Component,
  type LeasePort,
} from '#pkg/runtime';
import {
  deletionAdmission,
  recordAttempts,
  usageAdmission,
  usageReconciler,
  UsageWatch,
  type UsagePorts,
} from '#pkg/usage';
import { VERSION } from '../release.ts';
import { accessReviewer, eventRecorder, usageLister } from './kube-ports.ts';

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
  /** Holds back what watches bring, to see that no answer rests on them. */
  readonly watchDelayMs: number;
}

const NAME = 'rook-deps';
const WEBHOOK = 'rook-deps-webhook';
const WORKERS = 4;
const RECONCILE_TIMEOUT_MS = 60_000;
const GRACE_MS = 20_000;

/** The controller and webhook: reconcilers on the leader, the webhook on every replica. */
export async function runController(
  settings: ControllerSettings,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const clock = systemClock;
  const transport = await connect(settings.connection, {
    userAgent: `rook-deps-controller/${VERSION}`,
    onWarning: (text) => logger.info('server warning', { text }),
  });
  const types = refreshedTypes(transport, clock);
  const reader = kubeReader(transport, { types });
  const writer = kubeWriter(transport, types);
  const identity = uniqueIdentity(settings.host);
  const metrics = await createMetrics('rook_deps_');
  const record = eventRecorder(writer, settings.host, clock.now, (err) =>
    logger.error('cannot write an event', { err }),
  );
  const access = accessReviewer(writer, types);
  const allUsages = usageLister(reader);

  const queue = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const live = kubeWatcher(transport, types);
  const watcher = settings.watchDelayMs > 0 ? delayedWatcher(live, clock, () => settings.watchDelayMs) : live;
  const watch = new UsageWatch({ watcher, clock, logger, random: Math.random }, (ref) => queue.add(ref));
  const ports: UsagePorts = {
    get: (ref, aborted) => reader.get(ref, ref.namespace, ref.name, aborted),
    list: (request, aborted) => reader.list(request, aborted),
    types,
    allUsages,
    writer,
    mayDelete: (user, ref, aborted) => access(user, 'delete', ref, aborted),
    record,
    clock,
  };
  const server = new AdmissionServer({
    host: settings.listenOn,
    port: settings.webhookPort,
    handlers: new Map<string, AdmissionHandler>([
      ['/delete', deletionAdmission(deletionPorts(watch, ports, access))],
      [
        '/usage',
        usageAdmission({
          types,
          allUsages,
          mayDelete: (user, target, aborted) => access(user, 'delete', target, aborted),
        }),
      ],
    ]),
    clock,
    logger,
    metrics: {
      decided: ({ verdict, kind, durationMs }) => metrics.decided(verdict, kind.kind, durationMs),
      turnedAway: (status) => metrics.decided('turned-away', String(status), 0),
    },
  });
  const certificates = new CertificateKeeper({
    secret: kubeSecret(transport, settings.namespace, WEBHOOK),
    caBundles: kubeCaBundles(transport, [NAME]),
    names: [...serviceNames(WEBHOOK, settings.namespace), ...settings.extraNames],
    use: (serving) => server.useCertificate(serving),
    clock,
    logger,
  });

  const elector = leaderElector({
    namespace: settings.namespace,
    name: NAME,
    identity,
    leases: await leases(settings.connection, logger),
    clock,
    logger,
  });
  const lag = measureEventLoopLag();
  metrics.watchQueue('usage', () => queue.depth);
  metrics.watchLeading(() => elector.isLeading);
  metrics.watchEventLoop(lag);
  metrics.watchCertificateExpiry('serving', () => certificates.certificateExpiry().servingMs);
  metrics.watchCertificateExpiry('authority', () => certificates.certificateExpiry().authorityMs);
  metrics.watchCacheLag('Usage', () => cacheLagMs(watch, clock.now()));

  const leaving = gate('shutdown', 'is shutting down');
  const health = healthServer({
    host: settings.listenOn,
    port: settings.healthPort,
    live: [],
    ready: [
      leaving,
      { name: 'certificate', problem: () => (certificates.isReady ? undefined : 'there is none yet') },
      { name: 'usages', problem: () => (watch.isSynced ? undefined : 'have not been listed yet') },
    ],
    exposition: () => metrics.exposition(),
    logger,
  });
  const usageController = controller({
    name: 'usage',
    queue,
    reconciler: usageReconciler(ports),
    workers: WORKERS,
    timeoutMs: RECONCILE_TIMEOUT_MS,
    logger,
    metrics,
    clock,
    isConflict,
  });
  const options = { graceMs: GRACE_MS, logger, clock };
  const leading: readonly Component[] = [
    { name: 'certificates', run: (aborted) => certificates.lead(aborted) },
    {
      name: 'usage',
      run: (aborted) => {
        watch.turnAll();
        return usageController.run(aborted);
      },
    },
  ];
  const servers: readonly Component[] = [
    { name: 'webhook', run: (aborted) => server.run(aborted) },
    { name: 'serving certificate', run: (aborted) => certificates.follow(aborted) },
    health,
  ];
  const followers: readonly Component[] = [
    leaderOnly(elector, leading, { ...options, graceMs: GRACE_MS / 2 }),
    { name: 'watches', run: (aborted) => watch.run(aborted) },
  ];
  try {
    await runInStages(
      [servers, followers],
      { stopBeingReady: () => leaving.close(), drainMs: settings.drainMs },
      options,
      signal,
    );
  } finally {
    lag.stop();
    transport.close();
  }
}

/** On a connection of their own: a renewal must not wait behind long lists. */
async function leases(connection: Connection, logger: Logger): Promise<LeasePort> {
  const transport = await connect(connection, {
    userAgent: `rook-deps-controller/${VERSION}`,
    onWarning: (text) => logger.info('server warning', { text }),
  });
  return leasePort(kubeReader(transport, {}), kubeWriter(transport, refreshedTypes(transport, systemClock)));
}

function deletionPorts(
  watch: UsageWatch,
  { get, allUsages, writer, record, clock }: UsagePorts,
  access: ReturnType<typeof accessReviewer>,
): Parameters<typeof deletionAdmission>[0] {
  return {
    cachedUsages: () => watch.usages(),
    allUsages,
    mayForce: (user, ref, aborted) => access(user, 'force-delete', ref, aborted),
    recordAttempt: (usages, attempt, aborted) => recordAttempts(usages, attempt, { get, writer }, aborted),
    record,
    now: clock.now,
  };
}

function cacheLagMs(watch: UsageWatch, now: number): number | undefined {
  const heard = [...watch.health()].flatMap(({ health }) => health.heardAtMs ?? []);
  return heard.length > 0 ? now - Math.min(...heard) : undefined;
}
