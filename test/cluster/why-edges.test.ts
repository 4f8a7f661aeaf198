import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { KNOWN_TYPES } from '#pkg/object';
import type { Cause, DependencyReport } from '#pkg/verdict';
import {
  apply,
  controlPlane,
  describeOnCluster,
  freshNamespace,
  kubectl,
  runPlugin,
} from './control-plane.ts';
import { EDGE_SCENARIOS, SECOND_LATER, type EdgeScenario } from './edge-scenarios.ts';

describeOnCluster('why, for every edge, on a live cluster and from a dump of it', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(controlPlane().home, 'dump-'));
  });

  test('every edge of the catalogue has a scenario', () => {
    const edges = new Set(EDGE_SCENARIOS.map(({ edge }) => edge));
    expect([...edges].sort()).toEqual(Array.from({ length: 29 }, (_, at) => `E${at + 1}`).sort());
  });

  test.for(EDGE_SCENARIOS.map((scenario) => ({ ...scenario, title: `${scenario.edge}: ${scenario.name}` })))(
    '$title',
    async (scenario) => {
      const ns = await freshNamespace(scenario.edge.toLowerCase());
      await applyInOrder(scenario.objects(ns));
      const args = ['why', scenario.ask(ns), '-n', ns, '-o', 'json', ...(scenario.gaps ? [] : ['--no-ceph'])];

      const live = await runPlugin(args);
      expect(live.stderr).toBe('');
      expect(live.code).toBe(0);
      const report = JSON.parse(live.stdout) as DependencyReport;
      expect(summary(report)).toEqual(expectedSummary(scenario, ns));

      const saved = await runPlugin([...args, '--from', await dump(folder, ns)]);
      expect(saved.code).toBe(0);
      expect(withoutReasons(JSON.parse(saved.stdout) as DependencyReport)).toEqual(withoutReasons(report));
    },
  );
});

/** A dump has no Ceph to ask; a cluster without an operator has one that does not answer. */
function withoutReasons(report: DependencyReport): unknown {
  return { ...report, gaps: report.gaps.map(({ what }) => what) };
}

async function applyInOrder(objects: readonly object[]): Promise<void> {
  for (const object of objects) {
    if (object === SECOND_LATER) await sleep(1100);
    else await apply([object]);
  }
}

/** All that the rules can read, as an administrator would save it. */
async function dump(folder: string, ns: string): Promise<string> {
  // Usages exist only where we are installed, which this control plane is not.
  const served = KNOWN_TYPES.filter(({ group }) => group !== 'rook-deps.io');
  const resources = served.map(({ plural, group }) => (group ? `${plural}.${group}` : plural));
  const { code, stdout, stderr } = await kubectl([
    'get',
    resources.join(','),
    '-A',
    '-o',
    'json',
    '--ignore-not-found',
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const file = join(folder, `${ns}.json`);
  await writeFile(file, stdout);
  return file;
}

function expectedSummary({ causes, related, gaps }: EdgeScenario, ns: string): object {
  const held = causes?.(ns) ?? [];
  const unchecked = gaps?.(ns) ?? [];
  const verdict = held.length > 0 ? 'Blocked' : unchecked.length > 0 ? 'Unknown' : 'Deletable';
  return { verdict, causes: [...held].sort(), related: [...(related?.(ns) ?? [])].sort(), gaps: unchecked };
}

function summary({ verdict, causes, related, gaps }: DependencyReport): object {
  const names = (found: readonly Cause[]): readonly string[] =>
    found.map(({ code, object }) => `${code} ${object.kind}/${object.name}`).sort();
  return { verdict, causes: names(causes), related: names(related), gaps: gaps.map(({ what }) => what) };
}
