import { expect, test, vi } from 'vitest';
import { DEFAULT, type DrainStage } from './drain-stage.ts';

const WAIT = { timeout: 90_000, interval: 250 };
const LONG = { timeout: 400_000 };
const { signal } = new AbortController();
const held = (...zones: readonly string[]): readonly string[] =>
  zones.map((zone) => `${DEFAULT}-zone-zone-${zone}`);

/** OSDs that fail while others are away, or while Kubernetes takes them for well. */
export function secondFailureTests(at: () => DrainStage): void {
  test(
    'an OSD that hangs while its pod is ready holds the other zones, and when one of these loses an OSD too, all',
    LONG,
    async () => {
      const stage = at();
      await vi.waitFor(async () => expect(await stage.isQuiet()).toBe(true), WAIT);
      await vi.waitFor(async () => expect(await restsFor(stage)).toBeGreaterThan(3000), WAIT);
      const hung = await partnerOf(1, [4, 5], stage);
      // Of somebody else, so that the data stays where it is for the time of the test.
      await stage.ceph.output('ceph', ['osd', 'set', 'noout']);
      stage.ceph.freezeOsd(hung);
      try {
        await vi.waitFor(async () => expect(await stage.osdBudgetNames()).toEqual(held('x', 'y')), WAIT);
        expect(await isReady(hung, stage)).toBe(true);
        const refused = await stage.drain('node-a', '2s');
        expect(refused.code).toBe(1);
        expect([0, 1].map((id) => stage.ceph.isOsdRunning(id))).toEqual([true, true]);

        await stage.coupling.break(0);
        await vi.waitFor(async () => {
          expect(await stage.osdBudgetNames()).toEqual(held('x', 'y', 'z'));
          expect(await stage.noout()).toEqual(['zone-x']);
          expect(await stage.eventsOn('Node', 'node-a')).toContain('DrainHeld');
        }, WAIT);
        expect((await stage.evict(1)).status).toBe(429);
        const { verdict, causes } = await stage.why('node-a');
        expect(verdict).toBe('Blocked');
        // The one on a claim may have come to this node.
        const what = String.raw`rook-ceph-osd-zone-zone-x holds osd\.1( and osd\.6)?`;
        const why = String.raw`data might not be served with fewer OSDs while osd\.0 and osd\.${hung} are down`;
        expect(causes.map(({ message }) => message).join('\n')).toMatch(new RegExp(`${what} because ${why}`));
      } finally {
        stage.ceph.thawOsd(hung);
      }
      stage.coupling.mend(0);
      await stage.kubectl('uncordon', 'node-a');
      await stage.ceph.output('ceph', ['osd', 'unset', 'noout']);
      await vi.waitFor(async () => expect(await stage.isQuiet()).toBe(true), WAIT);
    },
  );
}

/** For how many milliseconds the controller has waited for a change; none while it is going to look by itself. */
async function restsFor(stage: DrainStage): Promise<number> {
  const lines = (await stage.log()).split('\n').filter((line) => line.includes('"controller":"disruption"'));
  const last = lines.at(-1) ?? '';
  if (!last.includes('wait-for-change')) return 0;
  return Date.now() - Date.parse((JSON.parse(last) as { readonly time: string }).time);
}

/** One of some OSDs that has a placement group together with another. */
async function partnerOf(id: number, some: readonly number[], stage: DrainStage): Promise<number> {
  const { groups } = await stage.ceph.ceph.pgMap(signal);
  const partners = groups.filter(({ acting }) => acting.includes(id)).flatMap(({ acting }) => acting);
  const found = some.find((one) => partners.includes(one));
  if (found === undefined) throw new Error(`osd.${id} shares no placement group with any of ${some.join()}`);
  return found;
}

async function isReady(id: number, stage: DrainStage): Promise<boolean> {
  const path = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
  const pods = ['pods', '-n', 'rook-ceph', '-l', `ceph-osd-id=${id}`];
  const { stdout } = await stage.kubectl('get', ...pods, '-o', path);
  return stdout.trim() === 'True';
}
