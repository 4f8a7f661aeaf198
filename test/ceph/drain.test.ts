import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Kinds, listAt, textAt } from '#pkg/object';
import { served } from '#test/fixtures/served-objects.ts';
import { BudgetFilm } from './budget-film.ts';
import { describeOnCeph } from './ceph.ts';
import { disturbanceTests } from './drain-disturbances.ts';
import { handOverTests } from './drain-hand-over.ts';
import { secondFailureTests } from './drain-second-failure.ts';
import { DEFAULT, DrainStage, LONG, PLACES, WAIT } from './drain-stage.ts';
import { wholeZoneTests } from './drain-whole-zone.ts';

const BLOCKING = ['rook-ceph-osd-zone-zone-y', 'rook-ceph-osd-zone-zone-z'];

describeOnCeph('drains, with OSDs that are real processes', () => {
  let stage: DrainStage;

  beforeAll(async () => {
    stage = await DrainStage.open({ disruptionManagement: { managePodBudgets: true } });
    await stage.startController();
  });
  afterAll(() => stage?.close());

  const untilQuiet = (): Promise<void> => stage.untilQuiet();

  function film(): BudgetFilm {
    const running = new BudgetFilm(stage.client, PLACES);
    onTestFinished(() => running.end());
    return running;
  }

  test(
    '14.7 where Rook protects from the start, not one budget is of ours, and we say so',
    LONG,
    async () => {
      const running = film();
      const said = async (): Promise<number> =>
        (await stage.log()).split('Rook makes the budgets').length - 1;
      await vi.waitFor(async () => expect(await said()).toBeGreaterThan(0), WAIT);
      const before = await said();
      await stage.kubectl('cordon', 'node-a');
      await vi.waitFor(async () => expect(await said()).toBeGreaterThan(before), WAIT);
      expect(await stage.why('node-a')).toMatchObject({
        verdict: 'Drainable',
        drained: 'cordoned',
        clusters: [{ budgetsBy: 'Rook', leaving: [0, 1], wouldStop: 0 }],
      });
      await stage.kubectl('uncordon', 'node-a');
      await running.end();
      expect(running.frames.length).toBeGreaterThan(20);
      expect(running.story).toEqual(['']);
      expect(await stage.client.read(stage.state)).toBeUndefined();
      await stage.manage({ managePodBudgets: false });
      await untilQuiet();
    },
  );

  test(
    'W22 the example of the design: one zone drains, the others hold, and all is as before',
    LONG,
    async () => {
      await untilQuiet();
      const running = film();
      const drained = await stage.drain('node-a', '100s');
      expect(drained.stdout).toContain('node/node-a drained');
      await vi.waitFor(async () => {
        expect(await stage.osdBudgetNames()).toEqual(BLOCKING);
        expect(await stage.noout()).toEqual(['zone-x']);
      }, WAIT);
      expect([0, 1].map((id) => stage.ceph.isOsdRunning(id))).toEqual([false, false]);

      const refused = await stage.drain('node-b', '2s');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget");
      const { status, body } = await stage.evict(2);
      expect(status).toBe(429);
      expect(JSON.stringify(body)).toContain('The disruption budget rook-ceph-osd-zone-zone-y needs');
      expect([2, 3].map((id) => stage.ceph.isOsdRunning(id))).toEqual([true, true]);
      await checkAnswers();
      await stage.kubectl('uncordon', 'node-b');

      await stage.kubectl('uncordon', 'node-a');
      await untilQuiet();
      await running.end();
      checkFilm(running);
      expect(await stage.eventsOn('CephCluster', 'rook-ceph')).toEqual(
        expect.arrayContaining(['DrainStarted', 'DrainEnded']),
      );
      expect(await stage.eventsOn('Node', 'node-a')).toEqual(
        expect.arrayContaining(['DrainStarted', 'DrainEnded']),
      );
      expect((await stage.why('node-b')).verdict).toBe('Drainable');
    },
  );

  /** W27: while zone x drains, `why` says so of a node of zone y, and that node a is held by nothing. */
  async function checkAnswers(): Promise<void> {
    const held = await stage.why('node-b');
    expect(held.verdict).toBe('Blocked');
    expect(held.causes[0]).toMatchObject({ code: 'RD070', domain: 'zone-x' });
    expect(held.causes[0]?.message).toMatch(
      /^rook-ceph-osd-zone-zone-y holds osd\.2 and osd\.3 because zone zone-x drains \(placement groups: .*active\+undersized/,
    );
    expect(held.clusters[0]).toMatchObject({
      budgetsBy: 'rook-deps',
      draining: 'zone-x',
      down: [0, 1],
      leaving: [2, 3],
      noout: [{ message: expect.stringMatching(/^noout on zone zone-x holds for 2\dm more$/) as string }],
    });
    expect(held.next[0]).toMatch(/^kubectl rook-deps why node\/node-a/);
    expect(await stage.why('node-a')).toMatchObject({ verdict: 'Drainable', causes: [], gaps: [] });
  }

  function checkFilm(running: BudgetFilm): void {
    expect(running.mistakes('zone-x')).toEqual([]);
    const { story } = running;
    expect(story[0]).toBe(DEFAULT);
    expect(story).toContain(BLOCKING.join(' '));
    expect(story.at(-1)).toBe(DEFAULT);
  }

  test('noout ends with its time, while the others are held on', LONG, async () => {
    await untilQuiet();
    await stage.kubectl('cordon', 'node-b');
    expect((await stage.evict(2)).status).toBe(201);
    await vi.waitFor(async () => expect(await stage.noout()).toEqual(['zone-y']), WAIT);
    // As after a controller that was away for an hour.
    await vi.waitFor(async () => {
      const record = await stage.client.read(stage.state);
      const known = JSON.parse(textAt(record, 'data', 'state.json') ?? '{}') as { noout?: object[] };
      expect(known.noout).toMatchObject([{ domain: 'zone-y', phase: 'set' }]);
      const noout = known.noout?.map((one) => ({ ...one, since: Date.now() - 3_600_000 }));
      await stage.client.patch(stage.state, { data: { 'state.json': JSON.stringify({ ...known, noout }) } });
      await stage.untilLooked();
      expect(await stage.noout()).toEqual([]);
    }, WAIT);
    expect(await stage.osdBudgetNames()).toEqual(['rook-ceph-osd-zone-zone-x', 'rook-ceph-osd-zone-zone-z']);
    await vi.waitFor(
      async () => expect(await stage.eventsOn('CephCluster', 'rook-ceph')).toContain('NooutEnded'),
      WAIT,
    );
    expect((await stage.why('node-a')).clusters[0]?.noout).toEqual([
      { message: 'noout on zone zone-y is over: Ceph moves its data elsewhere' },
    ]);
    await stage.kubectl('uncordon', 'node-b');
    await untilQuiet();
  });

  test(
    'a manager that dies in the middle of a drain: its zone drains on, and nothing is given back until it tells how the data is',
    LONG,
    async () => {
      await untilQuiet();
      const held = ['rook-ceph-osd-zone-zone-x', 'rook-ceph-osd-zone-zone-y'];
      const unchanged = async (noout: readonly string[]): Promise<void> => {
        expect(await stage.osdBudgetNames()).toEqual(held);
        expect(await stage.noout()).toEqual(noout);
        expect((await stage.evict(0)).status).toBe(429);
      };
      await stage.kubectl('cordon', 'node-c');
      expect((await stage.evict(4)).status).toBe(201);
      await vi.waitFor(() => unchanged(['zone-z']), WAIT);
      await stage.ceph.killManager();
      const killed = Date.now();
      const drained = await stage.drain('node-c', '100s');
      expect(drained.stdout).toContain('node/node-c drained');
      await stage.untilLooked(killed);
      await unchanged(['zone-z']);
      await stage.kubectl('uncordon', 'node-c');
      // That they are up the monitors know, and noout goes. How the data is they do not.
      await vi.waitFor(() => unchanged([]), WAIT);
      expect(await stage.log()).toContain('Ceph does not answer');
      stage.ceph.startManager();
      await untilQuiet();
    },
  );

  wholeZoneTests(() => stage);
  handOverTests(() => stage);
  disturbanceTests(() => stage);

  test(
    'a dead OSD is left out once its data is safe; no noout, and other nodes may be drained',
    LONG,
    async () => {
      await untilQuiet();
      await stage.markOutAfter(2);
      await stage.coupling.break(5);
      await vi.waitFor(async () => {
        const found = (await stage.budgets()).find(({ metadata }) => metadata.name === DEFAULT);
        const expressions = listAt(found, 'spec', 'selector', 'matchExpressions');
        expect(expressions.map((one) => textAt(one, 'operator'))).toEqual(['In', 'NotIn']);
        expect(expressions[1]).toMatchObject({ key: 'osd', values: ['5'] });
        expect(await stage.noout()).toEqual([]);
      }, WAIT);
      expect(await stage.why('node-b')).toMatchObject({
        verdict: 'Drainable',
        clusters: [{ down: [5], noout: [] }],
      });
      const drained = await stage.drain('node-b', '100s');
      expect(drained.stdout).toContain('node/node-b drained');
      await stage.kubectl('uncordon', 'node-b');
      stage.coupling.mend(5);
      await stage.markOutAfter(15);
      await stage.ceph.output('ceph', ['osd', 'in', '5']);
      await untilQuiet();
    },
  );

  test('W18 budgets of other daemons follow their counts, and go with them', LONG, async () => {
    const counted = async (): Promise<Record<string, unknown>> =>
      Object.fromEntries(
        (await stage.budgets())
          .filter(({ metadata }) => !metadata.name.startsWith(DEFAULT))
          .map(({ metadata, spec }) => {
            const { minAvailable, maxUnavailable } = spec as Record<string, number>;
            return [metadata.name, minAvailable ?? `-${maxUnavailable}`];
          }),
      );
    const store = served(Kinds.CephObjectStore, 's', 'rook-ceph', { gateway: { instances: 3, port: 80 } });
    const mirror = served(Kinds.CephRBDMirror, 'm', 'rook-ceph', { count: 2 });
    await stage.spec({ mon: { count: 3 }, mgr: { count: 2 } });
    for (const object of [store, mirror]) await stage.client.create(object as never);
    for (const name of ['f', 'g']) {
      await stage.client.create(served(Kinds.CephFilesystemMirror, name, 'rook-ceph') as never);
    }
    await vi.waitFor(
      async () =>
        expect(await counted()).toEqual({
          'rook-ceph-mon-pdb': '-1',
          'rook-ceph-mgr-pdb': '-1',
          'rook-ceph-rgw-s': 2,
          'rook-ceph-rbd-mirror': 1,
          'rook-ceph-fs-mirror': 1,
        }),
      WAIT,
    );
    await stage.spec({ mon: { count: 5 }, mgr: { count: 1 } });
    await stage.client.patch(store as never, { spec: { gateway: { instances: 5 } } });
    await stage.client.patch(mirror as never, { spec: { count: 1 } });
    await vi.waitFor(
      async () =>
        expect(await counted()).toEqual({
          'rook-ceph-mon-pdb': '-2',
          'rook-ceph-rgw-s': 4,
          'rook-ceph-fs-mirror': 1,
        }),
      WAIT,
    );
    await stage.spec({ mon: { count: 1 } });
    await stage.client.patch(store as never, { spec: { gateway: { instances: 1 } } });
    await stage.client.delete(served(Kinds.CephFilesystemMirror, 'g', 'rook-ceph') as never);
    await vi.waitFor(async () => expect(await counted()).toEqual({}), WAIT);
  });

  test('14.7 Rook told to protect: nothing of ours is left, and back again everything is', LONG, async () => {
    await untilQuiet();
    await stage.manage({ managePodBudgets: true });
    await vi.waitFor(async () => {
      expect(await stage.client.read(stage.state)).toBeUndefined();
      expect(await stage.ours()).toEqual([]);
    }, WAIT);
    expect(await stage.osdBudgetNames()).toEqual([DEFAULT]);
    await stage.manage({ managePodBudgets: false });
    await untilQuiet();
    await vi.waitFor(async () => expect(await stage.client.read(stage.state)).toBeDefined(), WAIT);
  });

  secondFailureTests(() => stage);
});
