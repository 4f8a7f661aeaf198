import { UserError } from './errors.ts';

type Labels = Readonly<Record<string, string>>;

/** Tells whether labels fit. */
export type LabelMatcher = (labels: Labels | undefined) => boolean;

/** Understands what kubectl takes for `-l`: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas. */
export function parseLabelSelector(selector: string): LabelMatcher {
  const parts = selector.match(/[^,(]*\([^)]*\)|[^,]+/g) ?? [];
  const matchers = parts.map((part) => requirement(part.trim(), selector));
  return (labels = {}) => matchers.every((matches) => matches(labels));
}

function requirement(part: string, selector: string): (labels: Labels) => boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(part);
  if (set?.[1] && set[3] !== undefined) {
    const [, key, operator, list] = set;
    const values = list.split(',').map((value) => value.trim());
    return (labels) =>
      values.includes(labels[key] ?? '') === (operator === 'in') && (operator === 'notin' || key in labels);
  }
  const equality = /^([^\s=!]+)\s*(==?|!=)\s*([^\s=!]*)$/.exec(part);
  if (equality?.[1]) {
    const [, key, operator, value] = equality;
    return (labels) => (labels[key] === value) === (operator !== '!=');
  }
  const presence = /^(!?)\s*([^\s=!()]+)$/.exec(part);
  const key = presence?.[2];
  if (!key)
    throw new UserError(
      `error: unable to parse requirement: invalid label selector ${JSON.stringify(selector)}`,
    );
  return (labels) => key in labels === (presence[1] === '');
}
