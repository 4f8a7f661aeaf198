import { Kinds, kindKey, ROOK_KINDS, type GroupKind, type KindKey } from '#pkg/object';
import { RULES } from './catalogue.ts';

/** The kinds at the end of every chain: they use others, and nothing that we look at is lost with them. */
const LEAVES = [
  Kinds.Pod,
  Kinds.VolumeAttachment,
  Kinds.VolumeSnapshot,
  Kinds.ObjectBucketClaim,
  Kinds.CosiBucketAccess,
  // What they are composed of is named in them.
  Kinds.StorageComposite,
  Kinds.StorageClaim,
];

const KNOWN: ReadonlySet<KindKey> = new Set(
  [...ROOK_KINDS, ...LEAVES, ...RULES.flatMap(({ targets }) => (targets === 'any' ? [] : targets))].map(
    kindKey,
  ),
);

/** Whether the rules can say what depends on a kind. Of all others, later ones of Rook among them, finding nothing says nothing. */
export function knowsDependentsOf(kind: GroupKind): boolean {
  return KNOWN.has(kindKey(kind));
}
