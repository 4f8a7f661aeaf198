import type { Deletion, DeletionGuard, Objection } from '#pkg/admission';
import {
  DESTROY_DATA,
  destroysData,
  isRookKind,
  Kinds,
  refOf,
  type KubeObject,
  type ObjectRef,
} from '#pkg/object';
import { takenAlongBy } from '#pkg/verdict';
import { NOTHING, stateOf, type Finding } from './finding.ts';
import { blockerText, denialLines, gapText, quotedName } from './words.ts';

export interface DependentsGuardPorts {
  /** From the cache: may be late. */
  held(subject: KubeObject): Finding;
  /** As things are now. */
  find(subject: KubeObject, signal: AbortSignal): Promise<Finding>;
  /** Whether an object is still there, asked of the server. */
  exists(ref: ObjectRef, signal: AbortSignal): Promise<boolean>;
}

const MAX_GAPS = 10;

/** Objects to the deletion of a resource of Rook's that something depends on, and of what it would go with. */
export function dependentsGuard(ports: DependentsGuardPorts): DeletionGuard {
  return {
    async glance(deletion, signal) {
      if (!isConcerned(deletion)) return undefined;
      const finding = ports.held(deletion.object);
      const [first] = finding.blockers;
      // Whoever deletes one thing after another is faster than a cache: what is gone is no reason to refuse.
      if (!first || !(await ports.exists(first, signal))) return undefined;
      return objectionTo(deletion, finding);
    },
    async look(deletion, signal) {
      return objectionTo(
        deletion,
        isConcerned(deletion) ? await ports.find(deletion.object, signal) : NOTHING,
      );
    },
  };
}

function isConcerned({ object }: Deletion): boolean {
  return isRookKind(refOf(object)) || takenAlongBy(object) !== undefined;
}

function objectionTo({ object }: Deletion, finding: Finding): Objection | undefined {
  switch (stateOf(finding)) {
    case 'free':
      return undefined;
    case 'held':
      return {
        lines: [...denialLines(refOf(object), finding), ...(destroysData(object) ? DESTROY_LINES : [])],
        causes: finding.blockers.map((blocker) => ({
          reason: blocker.code,
          message: `${blockerText(blocker)} depends on ${quotedName(blocker.of ?? refOf(object))}`,
        })),
      };
    case 'unknown':
      return { ...doubtAbout(object, finding), isDoubt: true };
  }
}

/** What could not be looked at, and the ways out. */
function doubtAbout(object: KubeObject, { gaps, lacksCeph }: Finding): Pick<Objection, 'lines' | 'causes'> {
  const left = gaps.length - MAX_GAPS;
  const forbidden = gaps.filter(({ reason }) => reason.startsWith('forbidden')).map(({ what }) => what);
  return {
    lines: [
      `cannot tell whether anything depends on ${takenAlongBy(object) ? 'what would go with ' : ''}${quotedName(refOf(object))}, so it is not deleted. Not looked at:`,
      ...gaps.slice(0, MAX_GAPS).map((gap) => `- ${gapText(gap)}`),
      ...(left > 0 ? [`- +${left} more`] : []),
      ...rightsLines(forbidden),
      ...(lacksCeph ? CEPH_LINES : []),
      `Whoever may force-delete it and is sure annotates it with rook-deps.io/force-delete="REASON" and tries again.`,
    ],
    causes: gaps.map((gap) => ({ reason: 'NotChecked', message: gapText(gap) })),
  };
}

/** What the word does not say. */
const DESTROY_LINES = [
  `${DESTROY_DATA} gives up what is in its namespace, not what others have on it. Volumes, as far as Rook cares, are given up by cleanupPolicy.allowUninstallWithVolumes: true`,
];

/** Where Ceph is asked, and how to do without it. */
const CEPH_LINES = [
  'Ceph is asked in the pod of the Rook operator, or in the toolbox. The right to (RoleBinding rook-deps-ceph) is given by: kubectl rook-deps install; for an external object store, with --ceph-namespace and its namespace',
  'To delete without its answer: kubectl rook-deps install --ceph=prefer',
  `If all data of the CephCluster may be destroyed, delete it with cleanupPolicy.confirmation: ${DESTROY_DATA}; nothing in it is asked about then.`,
];

function rightsLines(forbidden: readonly string[]): readonly string[] {
  const isSecrets = (what: string): boolean => what === Kinds.Secret.kind;
  return [
    ...(forbidden.every(isSecrets)
      ? []
      : ['Rights that the controller lacks are given by: kubectl rook-deps install']),
    ...(forbidden.some(isSecrets)
      ? [
          'The right to list Secrets is given by a ClusterRole with the label rook-deps.io/aggregate-to-controller=true',
        ]
      : []),
  ];
}
