import { expect, vi } from 'vitest';
import type { Reply } from './client.ts';
import type { Scene } from './scene.ts';

const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/rook-deps';

/** Deletes as if the webhook were not there. It takes a moment until nobody asks it any more. */
export async function deletePastTheWebhook(
  { client, install, replica }: Scene,
  remove: () => Promise<Reply>,
): Promise<void> {
  await client.send('DELETE', CONFIGURATION, undefined);
  await vi.waitFor(async () => expect((await remove()).status).toBe(200), { timeout: 30_000, interval: 100 });
  await install.route(replica);
}
