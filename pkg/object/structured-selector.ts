import { isRecord, listAt, recordAt, textAt } from './fields.ts';
import type { LabelMatcher } from './label-selector.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * Understands `matchLabels` and `matchExpressions`, as in the spec of a Deployment or a budget. As in Kubernetes, no
 * selector fits nothing, an empty one fits everything, and one that the server would not accept fits nothing.
 */
export function structuredSelector(selector: unknown): LabelMatcher {
  if (!isRecord(selector)) return () => false;
  const requirements = [
    ...Object.entries(recordAt(selector, 'matchLabels')).map(([key, value]) => includes(key, [value], true)),
    ...listAt(selector, 'matchExpressions').map(expression),
  ];
  return (labels) => requirements.every((fits) => fits(labels ?? {}));
}

function expression(found: unknown): (labels: Labels) => boolean {
  const key = textAt(found, 'key') ?? '';
  const values = listAt(found, 'values');
  switch (textAt(found, 'operator')) {
    case 'In':
      return includes(key, values, true);
    case 'NotIn':
      return includes(key, values, false);
    case 'Exists':
      return (labels) => Object.hasOwn(labels, key);
    case 'DoesNotExist':
      return (labels) => !Object.hasOwn(labels, key);
    default:
      return () => false;
  }
}

/** Own fields only: "constructor" is a fine label, and every object inherits one. */
function includes(key: string, values: readonly unknown[], isWanted: boolean): (labels: Labels) => boolean {
  return (labels) => (Object.hasOwn(labels, key) && values.includes(labels[key])) === isWanted;
}
