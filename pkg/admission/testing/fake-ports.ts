import type { SecretData } from '../certificates/material.ts';
import type {
  CaBundlePort,
  SecretPort,
  StoredSecret,
  WebhookCall,
  WebhookTrust,
} from '../certificates/ports.ts';

/** A Secret with versions. `beforeWrite` lets a rival in between. */
export class FakeSecret implements SecretPort {
  stored: StoredSecret | undefined;
  writes = 0;
  beforeWrite: (() => Promise<void>) | undefined;

  constructor(data?: SecretData) {
    if (data) this.stored = { data, resourceVersion: '1' };
  }

  read(): Promise<StoredSecret | undefined> {
    return Promise.resolve(this.stored);
  }

  async write(data: SecretData, resourceVersion: string | undefined): Promise<boolean> {
    const meddle = this.beforeWrite;
    this.beforeWrite = undefined;
    await meddle?.();
    if (this.stored?.resourceVersion !== resourceVersion) return false;
    this.writes += 1;
    this.stored = { data, resourceVersion: String(Number(resourceVersion ?? 0) + 1) };
    return true;
  }
}

/** Webhook configurations with versions; `history` is what the first webhook trusted, one after another. */
export class FakeCaBundles implements CaBundlePort {
  trusts: WebhookTrust[];
  readonly history: string[] = [];
  beforePublish: (() => Promise<void>) | undefined;

  constructor(...counts: number[]) {
    this.trusts = counts.map((count, index) => ({
      configuration: `c${index}`,
      resourceVersion: '1',
      webhooks: Array.from({ length: count }, () => ({ bundle: '', address: '/delete' })),
    }));
  }

  read(): Promise<readonly WebhookTrust[]> {
    return Promise.resolve([...this.trusts]);
  }

  async publish(trust: WebhookTrust, calls: readonly WebhookCall[]): Promise<boolean> {
    const meddle = this.beforePublish;
    this.beforePublish = undefined;
    await meddle?.();
    const index = this.trusts.findIndex(({ configuration }) => configuration === trust.configuration);
    const current = this.trusts[index];
    if (current?.resourceVersion !== trust.resourceVersion) return false;
    this.history.push(calls[0]?.bundle ?? '');
    this.trusts[index] = {
      ...current,
      resourceVersion: String(Number(current.resourceVersion) + 1),
      webhooks: calls,
    };
    return true;
  }
}
