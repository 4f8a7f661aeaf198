import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { acceptedDeletions } from './accepted-deletions.ts';
import { configMap, HELD, LET_GO } from './objects.ts';
import { Recorder } from './recorder.ts';
import { Scene } from './scene.ts';
import { claim, composite, entry } from './storage-objects.ts';

const KILLS = 20;
/** A foreground deletion of this size is done in less, from the claim's deletion to its end. */
const MOST_MS = 600;
const WAIT = { timeout: 60_000, interval: 50 };
let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.install.compose('configmaps');
}, 180_000);

afterAll(() => scene?.close());

/** The next controller need not wait until the lease of the one that was killed runs out. */
async function restart(): Promise<void> {
  await scene.install.kubectl([
    'delete',
    'lease',
    'rook-deps',
    '-n',
    'rook-deps-system',
    '--ignore-not-found',
  ]);
  await scene.startController();
}

test(`C4, C5: killed at ${KILLS} random moments of a foreground deletion, the end is the same`, async () => {
  const ns = await scene.namespace('killed');
  const moments: number[] = [];
  for (let round = 0; round < KILLS; round++) {
    const name = `killed-${round}`;
    const parts = ['a', 'b'].map((part) => configMap(ns, `${name}-${part}`));
    const whole = composite(
      name,
      parts.map((part) => entry(part.metadata.name, part)),
    );
    const mine = claim(ns, name, name, 'Foreground');
    await scene.make(whole, mine);
    await scene.untilReady(mine);
    for (const part of parts) await scene.client.patch(part, { metadata: HELD });
    const recorder = await Recorder.open(
      scene.install.plane,
      `/api/v1/namespaces/${ns}/configmaps`,
      '/apis/rook-deps.io/v1alpha1/storagecomposites',
      `/apis/rook-deps.io/v1alpha1/namespaces/${ns}/storageclaims`,
    );
    const moment = randomInt(MOST_MS);
    moments.push(moment);
    const deletion = (async () => {
      await scene.client.delete(mine);
      for (const part of parts) {
        await scene.untilTerminating(part);
        await scene.client.patch(part, LET_GO);
      }
    })();
    await sleep(moment);
    await scene.killController();
    await restart();
    await deletion;
    await scene.untilGone(mine, whole, ...parts);
    await vi.waitFor(() => expect(recorder.gone).toHaveLength(4), WAIT);
    recorder.close();
    expect({ moment, gone: recorder.gone.slice(2) }).toEqual({
      moment,
      gone: [`StorageComposite/${name}`, `StorageClaim/${name}`],
    });
    expect({ moment, deletions: await acceptedDeletions(scene, name) }).toEqual({ moment, deletions: 1 });
  }
  expect(moments).toHaveLength(KILLS);
}, 400_000);
