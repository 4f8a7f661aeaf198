import { listed } from '#pkg/drain';
import type { ClusterFacts, Situation } from './situation.ts';
import type { Obstacle } from './status.ts';
import { downNow, held, nooutStep, type Step } from './steps.ts';
import { osdName } from './words.ts';

/** How long data may take to come back before noout goes all the same. */
const PATIENCE_MS = 30 * 60_000;

/** The way back: whatever we changed, as it was before, and nothing else. */
export function nextRecovery(situation: Situation): Step {
  const { maintenance, node, surroundings, now } = situation;
  const { status } = maintenance;
  if (!status.prior) return { kind: 'end' };
  if (status.phase !== 'Recovering') {
    const recoveringSince = new Date(now).toISOString();
    return { ...held(situation, 'Recovering', [], { recoveringSince, drain: undefined }), next: 'at-once' };
  }
  const own = node?.uid === status.prior.nodeUid ? node : undefined;
  if (status.cordon === 'setting' || status.cordon === 'set')
    return { kind: 'uncordon', node: own, state: 'off' };
  if (status.clusters.length === 0) return { kind: 'end' };
  if (!surroundings) return { kind: 'inquire' };
  // On a node that others keep cordoned, or that is gone, no OSD will come back.
  if (own && !own.isCordoned && !isLate(situation)) {
    const missing = surroundings.clusters.flatMap((cluster) => missingIn(cluster, situation));
    if (missing.length > 0) return held(situation, 'Recovering', missing, downNow(situation));
  }
  const open = status.noout.find(({ state }) => state !== 'off');
  return open ? nooutStep(situation, open, 'unset') : { kind: 'end' };
}

function isLate({ maintenance: { status }, now }: Situation): boolean {
  return now - Date.parse(status.recoveringSince ?? '') > PATIENCE_MS;
}

function missingIn({ id, ceph }: ClusterFacts, { maintenance: { status } }: Situation): readonly Obstacle[] {
  const known = status.clusters.find(({ cluster }) => cluster === id);
  if (!known) return [];
  if (ceph.kind === 'silent')
    return [{ reason: 'CephSilent', message: `Ceph of ${id} does not answer: ${ceph.reason}` }];
  const down = ceph.osdMap.osds
    .filter((osd) => known.osds.includes(osd.id) && !osd.isUp)
    .map((osd) => osd.id);
  if (down.length > 0)
    return [{ reason: 'OsdDown', message: `waiting for ${listed(down.map(osdName))} to come up` }];
  if ('trouble' in ceph.groups)
    return [
      {
        reason: 'CephSilent',
        message: `Ceph does not tell how its placement groups are: ${ceph.groups.trouble}`,
      },
    ];
  if (ceph.groups.isClean) return [];
  return [
    { reason: 'Unclean', message: `waiting until all placement groups are clean: ${ceph.groups.words}` },
  ];
}
