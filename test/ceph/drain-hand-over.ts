import { expect, onTestFinished, test, vi } from 'vitest';
import { textAt } from '#pkg/object';
import { BudgetFilm } from './budget-film.ts';
import { LONG, PLACES, WAIT, type DrainStage } from './drain-stage.ts';
import { RookStandIn } from './rook-stand-in.ts';

const OF_ZONE_Z = ['rook-ceph-osd-zone-zone-x', 'rook-ceph-osd-zone-zone-y'];

/** Rook is told to protect, and then not to any more, while a zone drains. */
export function handOverTests(at: () => DrainStage): void {
  test(
    'W19 handed over to Rook and back in the middle of a drain, every OSD is held on, and nothing of either is left',
    LONG,
    async () => {
      const stage = at();
      await stage.untilQuiet();
      const film = new BudgetFilm(stage.client, PLACES);
      onTestFinished(() => film.end());
      await stage.kubectl('cordon', 'node-c');
      expect((await stage.evict(4)).status).toBe(201);
      await vi.waitFor(async () => {
        expect(await stage.ours()).toEqual(expect.arrayContaining(OF_ZONE_Z));
        expect(await stage.noout()).toEqual(['zone-z']);
      }, WAIT);

      const rook = new RookStandIn(stage.client, stage.ceph);
      onTestFinished(() => rook.end());
      await stage.manage({ managePodBudgets: true });
      await vi.waitFor(async () => {
        expect(await stage.client.read(stage.state)).toBeUndefined();
        expect(await stage.ours()).toEqual([]);
        expect(await stage.osdBudgetNames()).toEqual(OF_ZONE_Z);
        expect(await stage.client.read(RookStandIn.notes)).toBeDefined();
        expect(await stage.noout()).toEqual(['zone-z']);
      }, WAIT);
      expect((await stage.evict(0)).status).toBe(429);

      await rook.end();
      await stage.manage({ managePodBudgets: false });
      await vi.waitFor(async () => {
        expect(await stage.ours()).toEqual(expect.arrayContaining(OF_ZONE_Z));
        const notes = textAt(await stage.client.read(stage.state), 'data', 'state.json') ?? '{}';
        expect(JSON.parse(notes)).toMatchObject({
          draining: 'zone-z',
          noout: [{ domain: 'zone-z', phase: 'set' }],
        });
      }, WAIT);
      expect((await stage.evict(2)).status).toBe(429);
      // The zone drains on.
      expect((await stage.evict(5)).status).toBe(201);
      await stage.kubectl('uncordon', 'node-c');
      await stage.untilQuiet();
      await film.end();
      expect(film.mistakes('zone-z')).toEqual([]);
      await stage.client.delete(RookStandIn.notes);
      await stage.client.delete(RookStandIn.managers);
    },
  );
}
