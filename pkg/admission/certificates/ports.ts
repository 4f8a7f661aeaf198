import type { SecretData } from './material.ts';

export interface StoredSecret {
  readonly data: SecretData;
  readonly resourceVersion: string;
}

/** The one Secret that CA, serving certificate and token are kept in. */
export interface SecretPort {
  /** Undefined when there is none. */
  read(signal: AbortSignal): Promise<StoredSecret | undefined>;
  /** Replaces all entries. False when the Secret is no longer at that version (undefined: when it exists). */
  write(data: SecretData, resourceVersion: string | undefined, signal: AbortSignal): Promise<boolean>;
}

/** How the API server calls a webhook. */
export interface WebhookCall {
  /** The CAs that it trusts, PEM; empty where there is none. */
  readonly bundle: string;
  /** The path at a Service, or a whole URL. */
  readonly address: string;
}

export interface WebhookTrust {
  /** Which configuration: whatever the port knows it by. */
  readonly configuration: string;
  readonly resourceVersion: string;
  readonly webhooks: readonly WebhookCall[];
}

/** The webhook configurations of ours that exist. */
export interface CaBundlePort {
  read(signal: AbortSignal): Promise<readonly WebhookTrust[]>;
  /** Writes into each of its webhooks how it is called from now on. False when it is no longer at that version. */
  publish(trust: WebhookTrust, calls: readonly WebhookCall[], signal: AbortSignal): Promise<boolean>;
}
