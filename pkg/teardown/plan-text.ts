import { compareText, groupOf, refOf, type Gap, type KubeObject } from '#pkg/object';
import { objectLabel, printable } from '#pkg/render';
import type { Obstacle, Plan } from './plan.ts';
import { isRetained, roleOf } from './roles.ts';

const MAX_LISTED = 20;

/** As kubectl names things: `cephnfs.ceph.rook.io "my-nfs"`, with the namespace if it has one. */
export function stepName({ apiVersion, kind, metadata }: KubeObject): string {
  const group = groupOf(apiVersion);
  return printable(`${kind.toLowerCase()}${group ? `.${group}` : ''} "${metadata.name}"`);
}

/** The plan for people: what goes in which order, what is in the way, what could not be checked. */
export function planText(plan: Plan): readonly string[] {
  const here = plan.subjects[0]?.metadata.namespace;
  const steps = plan.levels.flat();
  return sections([
    [`To be deleted, leaves first: ${counted(steps.map(({ object }) => object))}`, ...levelLines(plan, here)],
    destroyedLines([...steps.map(({ object }) => object), ...plan.owned]),
    ownedLines(plan.owned, here),
    leftLines(plan, here),
    plan.notes.map((note) => `Note: ${printable(note)}`),
    obstacleLines('User data, kept unless --include-volumes is given:', 'data', plan, here),
    obstacleLines(
      'Would leave data behind that keeps the rest from going; set the policy to Delete first:',
      'retained',
      plan,
      here,
    ),
    obstacleLines('Still in use; stop the workloads first:', 'user', plan, here),
    obstacleLines(
      'Would never go, so the claim would wait for ever; take one of the owners off:',
      'owner',
      plan,
      here,
    ),
    obstacleLines('Protected; see kubectl rook-deps protections -A:', 'protection', plan, here),
    obstacleLines('Ceph holds what no object here mentions:', 'contents', plan, here),
    gapLines('Not checked, so nothing is safe to delete:', plan.gaps),
  ]);
}

function levelLines({ levels }: Plan, here: string | undefined): readonly string[] {
  const width = String(levels.length).length;
  return levels.flatMap((level, at) =>
    capped(
      level.map(({ object, action }) => {
        const { namespace, name, deletionTimestamp } = object.metadata;
        const label = objectLabel({ kind: object.kind, namespace, name }, here);
        const state = deletionTimestamp ? ' (already being deleted)' : '';
        return `${label}${action === 'await' ? ' (removed by its driver)' : state}`;
      }),
    ).map((line, index) => `  ${(index === 0 ? String(at + 1) : '').padStart(width)}  ${line}`),
  );
}

/** Before a name is typed, people must have seen this. */
function destroyedLines(objects: readonly KubeObject[]): readonly string[] {
  const data = objects.filter((object) => roleOf(refOf(object)) === 'data' && !isRetained(object));
  return data.length > 0 ? [`Data of users is DESTROYED: ${counted(data)}`] : [];
}

function ownedLines(owned: readonly KubeObject[], here: string | undefined): readonly string[] {
  if (owned.length === 0) return [];
  const names = owned.map((object) => `  ${objectLabel(refOf(object), here)}`);
  return [`Go with their owners: ${counted(owned)}`, ...capped(names, '  ')];
}

function leftLines({ left }: Plan, here: string | undefined): readonly string[] {
  if (left.length === 0) return [];
  const lines = left.map(({ ref, whole, otherOwner, isOrphaned }) => {
    const why = isOrphaned
      ? `loses its owner ${whole.kind}/${whole.name} (--cascade=orphan)`
      : otherOwner
        ? `is owned by ${otherOwner}, too`
        : `has no owner reference to ${whole.kind}/${whole.name}`;
    return `  ${objectLabel(ref, here)} ${printable(why)}`;
  });
  return ['Stay:', ...capped(lines, '  ')];
}

function obstacleLines(
  title: string,
  kind: Obstacle['kind'],
  { obstacles }: Plan,
  here: string | undefined,
): readonly string[] {
  const found = obstacles.filter((obstacle) => obstacle.kind === kind);
  if (found.length === 0) return [];
  const lines = found.map(
    ({ object, message, code }) => `  ${code}  ${objectLabel(object, here)} ${printable(message)}`,
  );
  return [title, ...capped(lines, '  ')];
}

function gapLines(title: string, gaps: readonly Gap[]): readonly string[] {
  if (gaps.length === 0) return [];
  const lines = gaps.map(({ what, reason }) => `  ${printable(`${what}: ${reason}`)}`);
  return [title, ...capped([...new Set(lines)], '  ')];
}

/** `28 objects (2 CephBlockPool, 1 CephCluster …)`. */
function counted(objects: readonly { readonly kind: string }[]): string {
  const kinds = Map.groupBy(objects, ({ kind }) => kind);
  const parts = [...kinds]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([kind, all]) => `${all.length} ${printable(kind)}`);
  return `${objects.length} ${objects.length === 1 ? 'object' : 'objects'} (${parts.join(', ')})`;
}

function capped(lines: readonly string[], indent = ''): readonly string[] {
  const left = lines.length - MAX_LISTED;
  return left > 0
    ? [...lines.slice(0, MAX_LISTED), `${indent}and ${left} more (--dry-run=client -o json lists them all)`]
    : lines;
}

function sections(all: readonly (readonly string[])[]): readonly string[] {
  return all.filter((lines) => lines.length > 0).flatMap((lines, at) => (at > 0 ? ['', ...lines] : lines));
}
