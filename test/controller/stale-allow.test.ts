import { afterAll, beforeAll, expect, test } from 'vitest';
import { blockPool, named, usage } from './objects.ts';
import { expectRefusal, Scene } from './scene.ts';

const ROUNDS = 1_000;
const AT_ONCE = 8;
const NS = 'stale';
/** More than a round lasts: what the controller has seen is always older than what it is asked about. */
const DELAY_MS = 5_000;

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open(['--watch-delay-ms', String(DELAY_MS)]);
  await scene.namespace(NS);
}, 180_000);

afterAll(() => scene?.close());

/** The usage is a moment old when the deletion comes, and no watch has told of it. */
async function round(at: number): Promise<void> {
  const pool = blockPool(NS, `pool-${at}`);
  const held = usage(NS, `held-${at}`, { of: named(pool), reason: 'needed' });
  await scene.make(pool);
  const made = await scene.client.create(held);
  const reply = await scene.client.delete(pool);
  expect({ at, status: made.status }).toEqual({ at, status: 201 });
  expectRefusal(reply);
}

test(
  `no deletion is allowed that the watches have not told of: ${ROUNDS} of ${ROUNDS} are refused`,
  { timeout: 600_000 },
  async () => {
    const started = Date.now();
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < ROUNDS) await round(next++);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    // The controller was really late: it has not even seen the usages of the last moments.
    expect(Date.now() - started).toBeGreaterThan(DELAY_MS);
    const last = await scene.client.read(
      usage(NS, `held-${ROUNDS - 1}`, { of: named(blockPool(NS, 'any')) }),
    );
    expect(last?.metadata.finalizers).toBeUndefined();
  },
);
