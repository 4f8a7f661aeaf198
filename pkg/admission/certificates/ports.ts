import type { SecretData } from './material.ts';

export interface StoredSecret {
  readonly data: SecretData;
  readonly resourceVersion: string;
}

/** The one Secret that CA and serving certificate are kept in. */
export interface SecretPort {
  /** Undefined when there is none. */
  read(signal: AbortSignal): Promise<StoredSecret | undefined>;
  /** Replaces all entries. False when the Secret is no longer at that version (undefined: when it exists). */
  write(data: SecretData, resourceVersion: string | undefined, signal: AbortSignal): Promise<boolean>;
}

export interface WebhookTrust {
  /** Which configuration: whatever the port knows it by. */
  readonly configuration: string;
  readonly resourceVersion: string;
  /** The bundle of each of its webhooks, PEM; empty where there is none. */
  readonly bundles: readonly string[];
}

/** The webhook configurations of ours that exist. */
export interface CaBundlePort {
  read(signal: AbortSignal): Promise<readonly WebhookTrust[]>;
  /** Writes the bundle into all its webhooks. False when it is no longer at that version. */
  publish(trust: WebhookTrust, bundle: string, signal: AbortSignal): Promise<boolean>;
}
