import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aConsumer, aRequest, aWorkload, Killed, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';

const { signal } = new AbortController();

/** After how many changes, and whether before or after the last of them, a process dies. */
const crash = fc.record({ at: fc.nat(12), when: fc.constantFrom('before' as const, 'after' as const) });

const situation = fc.record({
  wasCordoned: fc.boolean(),
  flagged: fc.subarray([0, 1, 2]),
  force: fc.boolean(),
  duration: fc.constantFrom(undefined, '1s', '4h'),
  /** How many lives it gets before somebody stops it. */
  lives: fc.array(crash, { maxLength: 6 }),
  ends: fc.array(crash, { maxLength: 6 }),
});

function dieAt(
  world: MaintenanceWorld,
  { at, when }: { readonly at: number; readonly when: 'before' | 'after' },
): void {
  let count = 0;
  world.onChange = (now) => {
    if (now === when && count++ >= at) throw new Killed();
  };
}

async function life(world: MaintenanceWorld, run: () => Promise<unknown>): Promise<void> {
  await run().catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });
  world.onChange = () => undefined;
}

test('whenever it is killed, and however often, a stop leaves everything exactly as it was', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async ({ wasCordoned, flagged, force, duration, lives, ends }) => {
      const world = new MaintenanceWorld(aWorkload('web', 'node-x'), ...aConsumer('db', 'node-x'));
      if (wasCordoned) world.cordon('node-x');
      for (const osd of flagged) world.noout.add(osd);
      const before = world.traces as { pods: readonly string[]; up: readonly number[] };
      const request = aRequest({ force, duration });
      for (const one of lives) {
        dieAt(world, one);
        await life(world, () => world.start(request));
      }
      for (const one of ends) {
        dieAt(world, one);
        await life(world, () => world.stop());
      }
      const begun = (await world.commandLedger.all(signal)).length > 0;
      expect(await world.stop()).toBeUndefined();
      const after = world.traces as typeof before;
      expect(world.evicted).not.toContain('operator');
      // Pods that went elsewhere do not come back by themselves, nor do OSDs to a node that others keep cordoned.
      const isLasting = wasCordoned || begun;
      expect({ ...after, pods: [], up: isLasting ? [] : after.up }).toEqual({
        ...before,
        pods: [],
        up: isLasting ? [] : before.up,
      });
      if (!wasCordoned) expect(after.up).toEqual(before.up);
    }),
    { numRuns: 60 },
  );
});

test('resumed after any crash, it comes to the same end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(crash, { maxLength: 8 }), async (lives) => {
      const world = new MaintenanceWorld(aWorkload('web', 'node-x'), ...aConsumer('db', 'node-x'));
      for (const one of lives) {
        dieAt(world, one);
        await life(world, () => world.start());
      }
      const ready = await world.start();
      expect(ready?.status).toMatchObject({
        phase: 'Ready',
        cordon: 'set',
        noout: [{ osds: [0, 1], state: 'set' }],
      });
      expect(new Set(world.evicted)).toEqual(
        new Set(['db', 'web', 'rook-ceph-osd-0-pod', 'rook-ceph-osd-1-pod']),
      );
    }),
    { numRuns: 40 },
  );
});
