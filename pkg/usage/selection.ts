import { compareText, type KubeObject, type OwnerReference } from '#pkg/object';
import type { Selector } from './usage.ts';

/** The objects that a selector means, in a stable order: of several, the first is taken. */
export function selected(
  candidates: readonly KubeObject[],
  selector: Selector,
  usage: KubeObject,
): readonly KubeObject[] {
  const controller = controllerOf(usage);
  return candidates
    .filter(({ metadata }) => hasLabels(metadata.labels, selector.matchLabels))
    .filter((object) => !selector.matchControllerRef || isSame(controllerOf(object), controller))
    .toSorted(
      (a, b) =>
        compareText(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
        compareText(a.metadata.name, b.metadata.name),
    );
}

/** Why a selector means nothing. */
export function unresolvedMessage(kind: string, selector: Selector): string {
  const labels = Object.entries(selector.matchLabels).map(([name, value]) => `${name}=${value}`);
  const together = selector.matchControllerRef ? ' and with same controller reference' : '';
  return `no "${kind}" found matching labels: ${labels.length > 0 ? labels.join(',') : '<any>'}${together}`;
}

function hasLabels(
  labels: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Two objects without a controller do not share one. */
function isSame(a: OwnerReference | undefined, b: OwnerReference | undefined): boolean {
  return a !== undefined && a.uid === b?.uid;
}
