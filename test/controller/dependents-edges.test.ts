import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listAt, textAt } from '#pkg/object';
import { EDGE_SCENARIOS, type EdgeScenario } from '../cluster/edge-scenarios.ts';
import { blockersOf, RookObjects, typed } from './rook-objects.ts';
import { Scene } from './scene.ts';
import { SUMMARY_SCENARIOS } from './summary-scenarios.ts';

let scene: Scene;
let rook: RookObjects;

beforeAll(async () => {
  scene = await Scene.open();
  rook = new RookObjects(scene);
  await grantSecrets(scene);
}, 180_000);

afterAll(() => scene?.close());

/** Where COSI buckets have users without a resource, an administrator may let the controller see whose Secrets they are. */
async function grantSecrets({ install }: Scene): Promise<void> {
  const labels = { 'rook-deps.io/aggregate-to-controller': 'true' };
  await install.apply([
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'secrets-for-rook-deps', labels },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }],
    },
  ]);
}

const SCENARIOS = [...EDGE_SCENARIOS, ...SUMMARY_SCENARIOS].map((scenario, at) => ({
  ...scenario,
  at,
  title: `${scenario.edge}: ${scenario.name}`,
}));
const holding = SCENARIOS.filter(({ causes }) => causes);
const related = SCENARIOS.filter(({ causes }) => !causes);

async function stage(scenario: EdgeScenario & { readonly at: number }) {
  const ns = await scene.namespace(`edge-${scenario.at}`);
  await rook.apply(scenario.objects(ns));
  return { ns, subject: typed(scenario.ask(ns), ns) };
}

describe('the deletion of a provider is refused while its dependents exist, and allowed when they are gone', () => {
  test.for(holding)('$title', async (scenario) => {
    const { ns, subject } = await stage(scenario);
    const wanted = (scenario.causes?.(ns) ?? []).map((cause) => cause.split(' ')[1] ?? '').sort();

    const refusal = await rook.delete(subject);
    expect(refusal.status).toBe(409);
    const blockers = blockersOf(refusal);
    expect(blockers.map(({ kind, name }) => `${kind}/${name}`).sort()).toEqual(wanted);
    for (const name of wanted.slice(0, 20)) expect(refusal.message).toContain(name.split('/')[1]);
    expect(refusal.message).toMatch(/See: kubectl rook-deps why \S+ -n \S+$/);
    // Nobody follows Secrets: a bucket that only a Secret places is found by a look alone.
    if (scenario.edge !== 'E26') await rook.untilHeld(subject);

    for (const blocker of blockers) await rook.remove(blocker);
    await vi.waitFor(async () => expect((await rook.delete(subject)).status).toBe(200), 10_000);
    await rook.untilGone(subject);
  });
});

describe('the deletion of a provider is allowed though something is related to it, which is shown', () => {
  test.for(related)('$title', async (scenario) => {
    const { ns, subject } = await stage(scenario);
    const told = await scene.install.plugin(['why', scenario.ask(ns), '-n', ns, '--no-ceph', '-o', 'json']);
    const shown = listAt(JSON.parse(told.stdout), 'related').map(
      (one) => `${textAt(one, 'code')} ${textAt(one, 'object', 'kind')}/${textAt(one, 'object', 'name')}`,
    );
    expect(shown).toEqual(expect.arrayContaining([...(scenario.related?.(ns) ?? [])]));
    expect(await rook.delete(subject)).toMatchObject({ status: 200 });
    await rook.untilGone(subject);
  });
});
