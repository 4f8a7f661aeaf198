import { expect, test } from 'vitest';
import { aRequest, aWorkload, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';
import { statusTable } from './status-table.ts';

test('a table says where it stands, how long noout stays and what is in the way', async () => {
  const world = new MaintenanceWorld(aWorkload('web', 'node-x'));
  world.holds.set('web', 'The disruption budget web needs 3 healthy pods and has 3 currently');
  const now = world.clock.now();
  const held = await world.start(aRequest({ reason: 'new disk', duration: '2h' }));
  const lines = statusTable(held ? [held] : [], { now, isWide: false, headers: true });
  expect(lines).toEqual([
    'NODE     PHASE      REASON     STARTED   NOOUT                     OSDS-DOWN   PGS              PODS-PENDING   BLOCKED-BY',
    'node-x   Draining   new disk   0s        osd.0,osd.1 (120m left)   0/2         4 active+clean   3              shop/web: The disruption budget web needs 3 healthy pods and has 3 currently',
  ]);
});
