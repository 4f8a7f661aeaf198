import type { Clock } from '#pkg/clock';
import type { Logger } from '#pkg/log';
import { carryOut } from './carry-out.ts';
import {
  bundleOf,
  inspect,
  materialOf,
  secretDataOf,
  type Material,
  type ServingCertificate,
} from './material.ts';
import { callFor, isTrusted, planCertificates, type CertificatePlan } from './plan.ts';
import { DEFAULT_POLICY, type CertificatePolicy } from './policy.ts';
import type { CaBundlePort, SecretPort, WebhookCall, WebhookTrust } from './ports.ts';
import { Wake } from './wake.ts';

export interface CertificateKeeperOptions {
  readonly secret: SecretPort;
  readonly caBundles: CaBundlePort;
  /** Host names and addresses under which the webhook is called. */
  readonly names: readonly string[];
  /** Takes a new serving certificate into use. */
  readonly use: (serving: ServingCertificate) => void;
  /** Answers by paths with this token alone; undefined: by plain ones, as an installation of before is called. */
  readonly useToken: (token: string | undefined) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly policy?: Partial<CertificatePolicy>;
}

/** When what this replica serves ends, and when its CA ends; absent before there is one. */
export interface CertificateExpiry {
  readonly servingMs?: number | undefined;
  readonly authorityMs?: number | undefined;
}

/** A plan leads to the next at most twice; more means that somebody else is writing too. */
const MAX_ROUNDS = 5;
const RETRY_MS = 1_000;
/** A look without a cause, in case a watch was missed. It only reads. */
const RESYNC_MS = 10 * 60_000;

/** Keeps the webhook's certificates: the leader makes them (`lead`), every replica serves them (`follow`). */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  readonly #policy: CertificatePolicy;
  readonly #leaderWake = new Wake();
  readonly #followerWake = new Wake();
  #published: { readonly bundle: string; readonly sinceMs: number } | undefined;
  #leadingSinceMs: number | undefined;
  #inUse: ServingCertificate | undefined;
  #token: string | undefined;
  #expiry: CertificateExpiry = {};

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
    this.#policy = { ...DEFAULT_POLICY, ...options.policy };
  }

  /** To be called when the Secret or a webhook configuration changes: both are looked at again at once. */
  changed(): void {
    this.#leaderWake.call();
    this.#followerWake.call();
  }

  /** True once this replica has something to serve. */
  get isReady(): boolean {
    return this.#inUse !== undefined;
  }

  certificateExpiry(): CertificateExpiry {
    return this.#expiry;
  }

  /** Makes and renews, until the signal. For the leader; two leaders do no harm. */
  lead(signal: AbortSignal): Promise<void> {
    this.#leadingSinceMs = undefined;
    return this.#repeat(this.#leaderWake, () => this.maintain(signal), signal);
  }

  /** Takes up what is in the Secret, until the signal. For every replica. */
  follow(signal: AbortSignal): Promise<void> {
    return this.#repeat(
      this.#followerWake,
      async () => ((await this.reload(signal)) ? RESYNC_MS : RETRY_MS),
      signal,
    );
  }

  /** Does what is to be done now. Returns the ms until there may be more to do. */
  async maintain(signal: AbortSignal): Promise<number> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { steps, againAtMs } = await this.#maintainOnce(signal);
      if (steps.length === 0) return Math.max(againAtMs - this.#options.clock.now(), 0);
    }
    return RETRY_MS;
  }

  /** Serves what the Secret holds, if that is good; keeps what it has otherwise. False while there is nothing. */
  async reload(signal: AbortSignal): Promise<boolean> {
    const { secret, names, clock, logger } = this.#options;
    const stored = await secret.read(signal);
    const material = materialOf(stored?.data ?? {});
    const { serving, authority } = inspect(material, names, clock.now());
    const { certificate, key } = material.serving;
    if (!serving || !certificate || !key) return this.isReady;
    this.#expiry = { servingMs: serving.untilMs, authorityMs: authority?.untilMs };
    this.#takeUpToken(material.token);
    if (this.#inUse?.certificate === certificate) return true;
    this.#options.use({ certificate, key });
    this.#inUse = { certificate, key };
    logger.info('serving certificate in use', { until: new Date(serving.untilMs).toISOString() });
    return true;
  }

  /** One that was lost stays in force here until there is another: losing it must not open the door. */
  #takeUpToken(token: string | undefined): void {
    if (this.isReady && (token === undefined || token === this.#token)) return;
    this.#token = token;
    this.#options.useToken(token);
  }

  async #maintainOnce(signal: AbortSignal): Promise<CertificatePlan> {
    const { secret, caBundles, names, clock, logger } = this.#options;
    // Configurations before the Secret: a bundle made from an older Secret then fails on the version of one of them.
    const trusts = await caBundles.read(signal);
    const stored = await secret.read(signal);
    const nowMs = clock.now();
    const material = materialOf(stored?.data ?? {});
    this.#leadingSinceMs ??= nowMs;
    const leadingSinceMs = this.#leadingSinceMs;
    const published = trusts.flatMap(({ webhooks }) => webhooks);
    const publishedSinceMs = this.#publishedSince(material, published, nowMs);
    const state = { material, names, published, publishedSinceMs, leadingSinceMs };
    const plan = planCertificates(state, this.#policy, nowMs);
    if (plan.steps.length === 0) return plan;

    logger.info('certificates', { steps: plan.steps });
    const after = await carryOut(plan.steps, material, names, this.#policy, nowMs);
    if (after !== material) {
      const isOurs = await secret.write(secretDataOf(after), stored?.resourceVersion, signal);
      // Somebody else was quicker: what was made here is forgotten.
      if (!isOurs) return plan;
      this.#followerWake.call();
    }
    if (plan.steps.includes('publish')) await this.#publish(trusts, after, nowMs, signal);
    return plan;
  }

  async #publish(
    trusts: readonly WebhookTrust[],
    material: Material,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    for (const trust of trusts) {
      const calls = trust.webhooks.map((webhook) => callFor(webhook, material, nowMs));
      if (trust.webhooks.every((webhook, index) => isSame(webhook, calls[index]))) continue;
      // A conflict needs no care here: the next round reads again.
      await this.#options.caBundles.publish(trust, calls, signal);
    }
  }

  #publishedSince(material: Material, published: readonly WebhookCall[], nowMs: number): number | undefined {
    const bundle = bundleOf(material, nowMs);
    if (!isTrusted({ material, published }, nowMs)) this.#published = undefined;
    else if (this.#published?.bundle !== bundle) this.#published = { bundle, sinceMs: nowMs };
    return this.#published?.sinceMs;
  }

  async #repeat(wake: Wake, look: () => Promise<number>, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      let waitMs: number;
      try {
        waitMs = Math.min(await look(), RESYNC_MS);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        waitMs = Math.min(RETRY_MS * 2 ** failures, RESYNC_MS);
        logger.error('cannot keep the certificates', { err: error });
      }
      await wake.sleep(clock, waitMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }
}

function isSame(a: WebhookCall, b: WebhookCall | undefined): boolean {
  return a.bundle === b?.bundle && a.address === b.address;
}
