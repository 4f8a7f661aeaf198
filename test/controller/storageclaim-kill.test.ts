import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isTerminating } from '#pkg/object';
import { acceptedDeletions } from './accepted-deletions.ts';
import type { Target } from './client.ts';
import { configMap, HELD, LET_GO } from './objects.ts';
import { Recorder } from './recorder.ts';
import { Scene } from './scene.ts';
import { claim, composite, entry } from './storage-objects.ts';

const KILLS = 20;
const MOST_TRIES = 60;
const WAIT = { timeout: 60_000, interval: 50 };
let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.install.compose('configmaps');
}, 180_000);

afterAll(() => scene?.close());

interface Stage {
  readonly mine: Target;
  readonly whole: Target;
  readonly parts: readonly Target[];
  readonly recorder: Recorder;
}

async function build(ns: string, name: string): Promise<Stage> {
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
  return { mine, whole, parts, recorder };
}

/** What the deletion has come to when the kill is due, and how long after that it may fall. */
const MOMENTS: readonly { readonly after: (stage: Stage) => Promise<void>; readonly mostMs: number }[] = [
  { after: () => Promise.resolve(), mostMs: 25 },
  { after: ({ whole }) => scene.untilTerminating(whole), mostMs: 25 },
  { after: ({ parts }) => letGo(parts.slice(0, 1)), mostMs: 100 },
  { after: ({ parts }) => letGo(parts), mostMs: 15 },
];

async function letGo(parts: readonly Target[]): Promise<void> {
  for (const part of parts) await scene.untilTerminating(part);
  await Promise.all(parts.map((part) => scene.client.patch(part, LET_GO)));
}

/** Whether the claim was deleted and not gone when the controller died. */
async function killAt(stage: Stage, round: number): Promise<boolean> {
  const { after, mostMs } = MOMENTS[round % MOMENTS.length] as (typeof MOMENTS)[number];
  await scene.client.delete(stage.mine);
  await after(stage);
  await sleep(randomInt(mostMs));
  await scene.killController();
  const left = await scene.client.read(stage.mine);
  return left !== undefined && isTerminating(left);
}

test(`C4, C5: killed at ${KILLS} random moments of a foreground deletion, the end is the same`, async () => {
  const ns = await scene.namespace('killed');
  let kills = 0;
  for (let tries = 0; kills < KILLS && tries < MOST_TRIES; tries++) {
    const name = `killed-${tries}`;
    const stage = await build(ns, name);
    // One that came too late proves nothing, and is tried again.
    if (await killAt(stage, kills)) kills += 1;
    await scene.restartController();
    const { mine, whole, parts, recorder } = stage;
    for (const part of parts) {
      const left = await scene.client.read(part);
      if (left) await letGo([part]);
    }
    await scene.untilGone(mine, whole, ...parts);
    await vi.waitFor(() => expect(recorder.gone).toHaveLength(4), WAIT);
    recorder.close();
    expect(recorder.gone.slice(2)).toEqual([`StorageComposite/${name}`, `StorageClaim/${name}`]);
    expect({ name, deletions: await acceptedDeletions(scene, name) }).toEqual({ name, deletions: 1 });
  }
  expect(kills).toBe(KILLS);
}, 400_000);
