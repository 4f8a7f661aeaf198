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

const LABELS = 'warn: no label of ours is without a reason';
const FINALIZERS = 'warn: no finalizer of ours is without a controller';
const LET_GO = '{"metadata":{"finalizers":null}}';

function pool(name: string, finalizer: string): object {
  return {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephBlockPool',
    metadata: { name, namespace: 'default', finalizers: [finalizer] },
    spec: { replicated: { size: 3 } },
  };
}

describeOnCluster('check', () => {
  beforeAll(async () => {
    stage = await InstallStage.start();
  }, 120_000);
  afterAll(() => stage?.end());

  test('says before an installation that it can work, and after it that there is none', async () => {
    const before = await check('--pre');
    expect(before.code).toBe(0);
    expect(notOk(before.rows)).toEqual(WITHOUT_NODES.slice(1));
    const none = await check();
    expect(none.code).toBe(1);
    expect(notOk(none.rows)).toEqual(['fail: rook-deps is installed', ...WITHOUT_NODES.slice(1)]);
  });

  test('says what somebody without rights cannot do or see', async () => {
    const before = await check('--pre', '--as=jane');
    expect(before.code).toBe(1);
    expect(notOk(before.rows)).toContain('fail: you may create what install makes');
    const seen = await check('--as=jane');
    expect(notOk(seen.rows)).toEqual(
      expect.arrayContaining(['warn: you may list what why looks at', 'warn: rook-deps is installed']),
    );
  });

  test('of traces that nobody will take away warns where nothing is installed', async () => {
    await stage.kubectl(['create', '-f', '-'], JSON.stringify(pool('stray', 'rook-deps.io/dependents')));
    await stage.kubectl(['create', 'serviceaccount', 'stray']);
    await stage.kubectl(['label', 'serviceaccount/stray', 'rook-deps.io/critical=true']);
    const { rows } = await check('--pre');
    expect(notOk(rows)).toEqual([...WITHOUT_NODES.slice(1), LABELS, FINALIZERS]);
    await stage.kubectl(['patch', 'cephblockpool/stray', '--type=merge', '-p', LET_GO]);
    await stage.kubectl(['delete', 'cephblockpool/stray', 'serviceaccount/stray']);
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
