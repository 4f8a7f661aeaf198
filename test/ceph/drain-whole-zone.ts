import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { textAt } from '#pkg/object';
import { BudgetFilm } from './budget-film.ts';
import { LONG, PLACES, WAIT, type DrainStage } from './drain-stage.ts';

const ZONE = 'topology-location-zone';
/** Of zone y, and nobody has told it so. */
const UNLABELLED = 2;
const HELD = ['rook-ceph-osd-unplaced', 'rook-ceph-osd-zone-zone-y', 'rook-ceph-osd-zone-zone-z'];

/** A zone of two nodes, with OSDs that are bound to one of them and one that is not. */
export function wholeZoneTests(at: () => DrainStage): void {
  describe('a zone of two nodes', () => {
    let film: BudgetFilm;

    beforeAll(async () => {
      await at().untilQuiet();
      await label(at(), null);
      await at().untilLooked();
      const places = PLACES.map((place, id) => (id === UNLABELLED ? { ...place, zone: '' } : place));
      film = new BudgetFilm(at().client, places);
    });

    afterAll(async () => {
      await film?.end();
      await label(at(), 'zone-y');
    });

    /** Does nothing where that is so already. */
    async function drained(): Promise<void> {
      const stage = at();
      const both = await Promise.all(['node-a', 'node-d'].map((node) => stage.drain(node, '100s')));
      expect(both.map(({ code, stderr }) => [code, stderr.includes('500')])).toEqual([
        [0, false],
        [0, false],
      ]);
      await vi.waitFor(async () => {
        expect(await stage.osdBudgetNames()).toEqual(HELD);
        expect(await stage.noout()).toEqual(['zone-x']);
      }, WAIT);
    }

    /** Every other zone, labelled or not. */
    async function expectOthersHeld(): Promise<void> {
      const stage = at();
      const refusals = await Promise.all([UNLABELLED, 3, 4, 5].map((id) => stage.evict(id)));
      expect(refusals.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
      expect(JSON.stringify(refusals[0]?.body)).toContain(
        'The disruption budget rook-ceph-osd-unplaced needs',
      );
    }

    test(
      'W24 W25 is drained on both at once, while no other is, although an OSD of that has no label',
      LONG,
      async () => {
        await drained();
        const { ceph } = at();
        await vi.waitFor(() => expect([0, 1, 6].filter((id) => ceph.isOsdRunning(id))).toEqual([]), WAIT);
        await expectOthersHeld();
        await vi.waitFor(
          async () => expect((await at().why('node-b')).clusters[0]?.down).toEqual([0, 1, 6]),
          WAIT,
        );
      },
    );

    test('W24 is held for on when one of them is deleted during its drain', LONG, async () => {
      const stage = at();
      await drained();
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } };
      await stage.client.delete(node);
      await stage.untilLooked();
      expect(await stage.osdBudgetNames()).toEqual(HELD);
      expect(await stage.noout()).toEqual(['zone-x']);
      await expectOthersHeld();
      await stage.coupling.makeNode('node-a', { unschedulable: true });
    });

    test(
      'W20 is whole when an OSD on a claim is up on the other, and the one that stays cordoned holds back nobody',
      LONG,
      async () => {
        const stage = at();
        await drained();
        await stage.kubectl('uncordon', 'node-a');
        await stage.untilQuiet();
        expect(textAt(await stage.podOf(6), 'spec', 'nodeName')).toBe('node-a');
        expect(film.story.at(-1)).toBe('rook-ceph-osd');
        await stage.kubectl('uncordon', 'node-d');
        await film.end();
        expect(film.mistakes('zone-x')).toEqual([]);
      },
    );
  });
}

/** On the Deployment and its pod, which stays. */
async function label(stage: DrainStage, zone: string | null): Promise<void> {
  const change = { metadata: { labels: { [ZONE]: zone } } };
  const metadata = { name: `rook-ceph-osd-${UNLABELLED}`, namespace: 'rook-ceph' };
  await stage.client.patch({ apiVersion: 'apps/v1', kind: 'Deployment', metadata }, change);
  const pod = await stage.podOf(UNLABELLED);
  if (pod) await stage.client.patch(pod, change);
}
