import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAt, textAt } from '#pkg/object';
import { describeOnCluster } from './control-plane.ts';
import { InstallStage } from './install-stage.ts';

let stage: InstallStage;

interface Row {
  readonly title: string;
  readonly result: string;
  readonly detail: string;
}

async function check(...args: readonly string[]): Promise<{ code: number | null; rows: readonly Row[] }> {
  const { code, stdout } = await stage.plugin(['check', '-o', 'json', ...args]);
  const rows = listAt(JSON.parse(stdout), 'checks').map((row) => ({
    title: textAt(row, 'title') ?? '',
    result: textAt(row, 'result') ?? '',
    detail: textAt(row, 'detail') ?? '',
  }));
  return { code, rows };
}

function notOk(rows: readonly Row[]): readonly string[] {
  return rows.filter(({ result }) => result !== 'ok').map(({ result, title }) => `${result}: ${title}`);
}

/** What this cluster lacks whatever is installed: there is no node, and no Rook operator. */
const WITHOUT_NODES = [
  'warn: what the replicas have seen is fresh',
  'warn: its operator runs, in a version that the rules know',
];

describeOnCluster('check', () => {
  beforeAll(async () => {
    stage = await InstallStage.start();
  }, 120_000);
  afterAll(() => stage?.plane.stop());

  test('says before an installation that it can work, and after it that there is none', async () => {
    const before = await check('--pre');
    expect(before.code).toBe(0);
    expect(notOk(before.rows)).toEqual(WITHOUT_NODES.slice(1));
    const none = await check();
    expect(none.code).toBe(1);
    expect(notOk(none.rows)).toEqual(['fail: rook-deps is installed', ...WITHOUT_NODES.slice(1)]);
  });

  test('finds an installation well, and what was done to it', { timeout: 240_000 }, async () => {
    const signal = AbortSignal.timeout(120_000);
    const installing = stage.plugin(['install']);
    const controller = await stage.runPods(signal);
    try {
      expect(await installing).toMatchObject({ code: 0 });
      const well = await check();
      expect({ code: well.code, rows: notOk(well.rows) }).toEqual({ code: 0, rows: WITHOUT_NODES });

      // A role that somebody edited.
      const edit = JSON.stringify([{ op: 'remove', path: '/rules/4' }]);
      await stage.kubectl(['patch', 'clusterrole/rook-deps-controller', '--type=json', '-p', edit]);
      // A label that no usage explains.
      await stage.kubectl(['create', 'serviceaccount', 'odd']);
      await stage.kubectl(['label', 'serviceaccount/odd', 'rook-deps.io/in-use=true']);
      const edited = await check();
      expect(edited.code).toBe(1);
      expect(notOk(edited.rows)).toEqual([
        'fail: the controller has its rights',
        ...WITHOUT_NODES,
        'warn: no label of ours is without a reason',
      ]);
      expect(edited.rows.at(-2)?.detail).toBe('serviceaccount/odd');
    } finally {
      controller.kill('SIGKILL');
      await once(controller, 'exit');
    }
    const text = await stage.plugin(['check']);
    expect(text.code).toBe(1);
    expect(text.stdout).toContain('  × it answers a deletion (a dry run)\n');
    expect(text.stdout).toContain('failed calling webhook "in-use.rook-deps.io"');
    expect(text.stdout).toMatch(/\d of \d+ checks failed, \d warn\.\n$/);
  });

  test('tells wrong words and a dead server in one line', async () => {
    expect(await stage.plugin(['check', 'this'])).toMatchObject({
      code: 1,
      stderr: 'error: unexpected argument "this"\n',
    });
    const dead = await stage.plugin(['check', '--server', 'https://127.0.0.1:1']);
    expect(dead.code).toBe(1);
    expect(dead.stderr).toContain('127.0.0.1:1');
  });
});
