import { UserError } from './errors.ts';

type Labels = Readonly<Record<string, string>>;

/** Tells whether labels fit. */
export type LabelMatcher = (labels: Labels | null | undefined) => boolean;

const REQUIREMENT =
  /\s*(?:!\s*(?<absent>[^\s=!(),<>]+)|(?<key>[^\s=!(),<>]+)(?:\s+(?<set>in|notin)\s*\((?<values>[^()]*)\)|\s*(?<operator>==|!=|[=<>])\s*(?<value>[^\s=!(),<>]*))?)\s*(?<next>,|$)/y;
const KEY = /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?\/)?[a-z\d](?:[\w.-]*[a-z\d])?$/i;
const VALUE = /^(?:[a-z\d](?:[\w.-]*[a-z\d])?)?$/i;
const INTEGER = /^[+-]?\d+$/;

/**
 * Understands what kubectl takes for `-l`, joined by commas: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`,
 * `a>1`, `a<1`. As in Kubernetes, `!=` and `notin` also fit labels without the key.
 */
export function parseLabelSelector(selector: string): LabelMatcher {
  if (selector.trim() === '') return () => true;
  const matchers: ((labels: Labels) => boolean)[] = [];
  const pattern = new RegExp(REQUIREMENT);
  for (let isLast = false; !isLast;) {
    const found = pattern.exec(selector)?.groups;
    const matcher = found && requirement(found);
    if (!matcher)
      throw new UserError(
        `error: unable to parse requirement: invalid label selector ${JSON.stringify(selector)}`,
      );
    matchers.push(matcher);
    isLast = found['next'] === '';
  }
  return (labels) => matchers.every((matches) => matches(labels ?? {}));
}

function requirement(
  found: Readonly<Record<string, string | undefined>>,
): ((labels: Labels) => boolean) | undefined {
  const key = found['absent'] ?? found['key'] ?? '';
  if (!KEY.test(key)) return undefined;
  // Own fields only: "constructor" is a fine label, and every object inherits one.
  const valueIn = (labels: Labels): string | undefined =>
    Object.hasOwn(labels, key) ? labels[key] : undefined;
  if (found['absent']) return (labels) => valueIn(labels) === undefined;
  const { set, operator, value = '' } = found;
  if (!set && !operator) return (labels) => valueIn(labels) !== undefined;
  if (operator === '<' || operator === '>') {
    return INTEGER.test(value) ? (labels) => compares(valueIn(labels), operator, Number(value)) : undefined;
  }
  const values = set ? (found['values'] ?? '').split(',').map((text) => text.trim()) : [value];
  if (!values.every((text) => VALUE.test(text))) return undefined;
  const isWanted = set ? set === 'in' : operator !== '!=';
  return (labels) => {
    const own = valueIn(labels);
    return (own !== undefined && values.includes(own)) === isWanted;
  };
}

function compares(value: string | undefined, operator: '<' | '>', bound: number): boolean {
  if (value === undefined || !INTEGER.test(value)) return false;
  return operator === '<' ? Number(value) < bound : Number(value) > bound;
}
