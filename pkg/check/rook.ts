import { isTrueAt, Kinds, listAt, textAt, type KubeObject } from '#pkg/object';
import { ok, warning, type Check, type CheckPorts, type Finding } from './check.ts';

const SECTION = 'Rook';
/** The kinds and fields of this version are what the rules know. */
const KNOWN = { major: 1, minor: 20 };

/** Which Rook there is, and what it does itself. */
export function rookChecks({ reader, types }: CheckPorts): readonly Check[] {
  const request = { kind: Kinds.Deployment, detail: 'object', labelSelector: 'operator=rook' } as const;
  return [
    {
      section: SECTION,
      title: 'its resources are defined',
      async look(signal) {
        const served = (await types(signal)).all().filter(({ group }) => group === 'ceph.rook.io');
        return served.length > 0
          ? ok(`${served.length} kinds`)
          : warning(
              'no kind of ceph.rook.io is served',
              'install Rook; until then there is nothing to look at',
            );
      },
    },
    {
      section: SECTION,
      title: 'its operator runs, in a version that the rules know',
      async look(signal) {
        const { items: found, gaps } = await reader.list(request, signal);
        if (found.length === 0 && gaps[0])
          return warning(`not looked at: ${gaps[0].reason}`, 'you lack the right to list Deployments');
        if (found.length === 0)
          return warning('no operator was found', 'nothing serves what Rook resources ask for');
        const versions = [...new Set(found.map(versionOf))];
        const unknown = versions.filter((version) => !isKnown(version));
        return unknown.length === 0
          ? ok(versions.join(', '))
          : warning(`${unknown.join(', ')}`, `the rules were written for v${KNOWN.major}.${KNOWN.minor}`);
      },
    },
    {
      section: SECTION,
      title: 'it is known who keeps disruption budgets',
      async look(signal): Promise<Finding> {
        const { items, gaps } = await reader.list({ kind: Kinds.CephCluster, detail: 'object' }, signal);
        if (gaps[0])
          return warning(`not looked at: ${gaps[0].reason}`, 'you lack the right to list CephClusters');
        const words = items.map((cluster) => {
          const isRook = isTrueAt(cluster, 'spec', 'disruptionManagement', 'managePodBudgets');
          return `${cluster.metadata.namespace ?? ''}/${cluster.metadata.name}: ${isRook ? 'Rook' : 'not Rook'}`;
        });
        return ok(words.length > 0 ? words.join(', ') : 'there is no CephCluster');
      },
    },
  ];
}

function versionOf(operator: KubeObject): string {
  const image = textAt(listAt(operator, 'spec', 'template', 'spec', 'containers')[0], 'image') ?? '';
  return /:(v\d+\.\d+[^@]*)/.exec(image)?.[1] ?? 'a version that its image does not name';
}

function isKnown(version: string): boolean {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) === KNOWN.major && Number(minor) <= KNOWN.minor;
}
