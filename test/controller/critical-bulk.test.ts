import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listAt, textAt } from '#pkg/object';
import {
  bulk,
  BULK_GROUP,
  deleteUntilGone,
  inParallel,
  distinctOrders,
  standIn,
  watchOrder,
  type Bulk,
} from './bulk.ts';
import type { Target } from './client.ts';
import { Scene } from './scene.ts';

const SHUFFLES = 50;
const ORDERS = distinctOrders(SHUFFLES, 5);
const WIDTH = 25;
const WAIT = { timeout: 60_000, interval: 200 };

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.install.grant(`*.${BULK_GROUP}`, 'deployments.apps', 'namespaces');
}, 180_000);

afterAll(() => scene?.close());

/** Makes all of it, deletes it in one of the orders, and says what went wrong. */
async function takeDown(
  id: string,
  at: number,
  replayDeletion: boolean,
  remove: (targets: readonly Target[]) => Promise<void>,
): Promise<readonly string[]> {
  const all = bulk(id, replayDeletion);
  await scene.make(all.definition, all.namespace, all.deployment);
  await scene.make(all.instance, all.service);
  await untilHeld(all);
  const targets = Object.values(all) as Target[];
  const order = (ORDERS[at] ?? []).flatMap((position) => targets[position] ?? []);
  expect(order).toHaveLength(targets.length);
  const ended = new AbortController();
  const serving = standIn(all, scene.client, ended.signal);
  try {
    const [faults] = await Promise.all([watchOrder(all, scene.client), remove(order)]);
    return faults.map((fault) => `${order.map(({ kind }) => kind).join(', ')}: ${fault}`);
  } finally {
    ended.abort();
    await serving;
  }
}

async function untilHeld({ service }: Bulk): Promise<void> {
  await vi.waitFor(async () => {
    const conditions = listAt(await scene.client.read(service), 'status', 'conditions');
    const states = conditions.map((one) => `${textAt(one, 'type') ?? ''}=${textAt(one, 'status') ?? ''}`);
    expect(states).toEqual(['Ready=True', 'Satisfied=False']);
  }, WAIT);
}

test('without a CriticalService, an instance whose Deployment goes first is stuck', async () => {
  const all = bulk('c', false);
  await scene.make(all.definition, all.namespace, all.deployment);
  await scene.make(all.instance);
  const ended = new AbortController();
  const serving = standIn(all, scene.client, ended.signal);
  for (const target of [all.deployment, all.definition, all.instance]) await scene.client.delete(target);
  await scene.untilGone(all.deployment);
  await scene.untilTerminating(all.instance);
  await sleep(2_000);
  expect(await scene.client.read(all.instance)).toBeDefined();
  ended.abort();
  await serving;
});

test(`all deleted at once by a client that retries, in ${SHUFFLES} different orders, go in the order of the proposal`, async () => {
  const faults = await inParallel(SHUFFLES, WIDTH, (at) =>
    takeDown(`a${at}`, at, false, (targets) => deleteUntilGone(targets, scene.client)),
  );
  expect(faults.flat()).toEqual([]);
}, 600_000);

test(`all deleted by one kubectl delete -f, in ${SHUFFLES} different orders, go in the order of the proposal when deletions are replayed`, async () => {
  let refusals = 0;
  const faults = await inParallel(SHUFFLES, WIDTH, (at) =>
    takeDown(`b${at}`, at, true, async (targets) => {
      const stdin = targets.map((target) => JSON.stringify(target)).join('\n---\n');
      const { stderr } = await scene.install.kubectl(['delete', '-f', '-'], { stdin });
      refusals += stderr.match(/^Error from server \(Conflict\)/gm)?.length ?? 0;
    }),
  );
  expect(faults.flat()).toEqual([]);
  // The CriticalService, at least, each time: its Deployment was there.
  expect(refusals).toBeGreaterThanOrEqual(SHUFFLES);
}, 600_000);
