import { expect, onTestFinished, test, vi } from 'vitest';
import { BudgetFilm } from './budget-film.ts';
import { DEFAULT, LONG, PLACES, WAIT, type DrainStage } from './drain-stage.ts';

const ALL_HELD = ['zone-x', 'zone-y', 'zone-z'].map((zone) => `${DEFAULT}-zone-${zone}`);
const POOL = 'another';

/** What happens to any Ceph, and is no drain. */
export function disturbanceTests(at: () => DrainStage): void {
  test(
    'copies that are missing with every OSD there hold all, and say so, until they are there; data out of its place holds none',
    LONG,
    async () => {
      const stage = at();
      const osd = (...args: readonly string[]): Promise<string> =>
        stage.ceph.output('ceph', ['osd', ...args]);
      await stage.untilQuiet();
      const film = new BudgetFilm(stage.client, PLACES);
      onTestFinished(() => film.end());

      // Both stay up and keep their copies, which have no other place.
      await osd('out', '4', '5');
      await vi.waitFor(async () => {
        await stage.untilLooked();
        expect(await groups(stage)).toMatch(/^\d+ active\+clean\+remapped$/);
        expect(await stage.osdBudgetNames()).toEqual([DEFAULT]);
      }, WAIT);

      // Of these there are only two copies.
      await osd('pool', 'create', POOL, '8', '8', 'replicated', 'by-zone');
      await vi.waitFor(async () => {
        await stage.untilLooked();
        expect(await stage.osdBudgetNames()).toEqual(ALL_HELD);
      }, WAIT);
      expect((await stage.evict(0)).status).toBe(429);
      expect((await stage.why('node-b')).causes[0]?.message).toMatch(
        /^rook-ceph-osd-zone-zone-y holds osd\.2 and osd\.3 because copies are missing \(placement groups: .*active\+undersized/,
      );

      await osd('pool', 'rm', POOL, POOL, '--yes-i-really-really-mean-it');
      await vi.waitFor(async () => {
        await stage.untilLooked();
        expect(await stage.osdBudgetNames()).toEqual([DEFAULT]);
      }, WAIT);
      expect(await groups(stage)).toContain('remapped');
      expect(await stage.eventsOn('CephCluster', 'rook-ceph')).toEqual(
        expect.arrayContaining(['CopiesMissing', 'CopiesComplete']),
      );
      await osd('in', '4', '5');
      await stage.untilQuiet();
      await film.end();
      expect(film.mistakes()).toEqual([]);
    },
  );
}

async function groups(stage: DrainStage): Promise<string> {
  return (await stage.why('node-b')).clusters[0]?.placementGroups ?? '';
}
