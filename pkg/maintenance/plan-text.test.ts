import { expect, test } from 'vitest';
import { inquire } from './inquiry.ts';
import { Observer } from './observe.ts';
import { planText } from './plan-text.ts';
import { NEW_STATUS } from './status.ts';
import { aRequest, aWorkload, MaintenanceWorld } from '#test/fakes/maintenance-world.ts';

const { signal } = new AbortController();

test('names every daemon of Ceph, however many other pods there are', async () => {
  const others = Array.from({ length: 40 }, (_, at) => aWorkload(`web-${at}`, 'node-x'));
  const { ports } = new MaintenanceWorld(...others);
  const origin = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-x' } };
  const maintenance = { request: aRequest(), isStopping: false, status: NEW_STATUS, origin };
  const seen = await new Observer(ports.reader).look(maintenance, 0, signal);
  const lines = planText(seen, await inquire(seen, ports, signal), []).join('\n');
  expect(lines).toContain('42 pods will be evicted');
  expect(lines).toContain('rook-ceph/rook-ceph-osd-0-pod');
  expect(lines).toContain('rook-ceph/rook-ceph-osd-1-pod');
  expect(lines).toContain('and 10 more that do not use Ceph');
});
