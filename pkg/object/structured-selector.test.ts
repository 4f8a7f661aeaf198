import { expect, test } from 'vitest';
import { structuredSelector } from './structured-selector.ts';

const osd = { app: 'rook-ceph-osd', osd: '2', zone: 'y' };
const expression = (key: string, operator: string, values?: readonly string[]): object => ({
  matchExpressions: [{ key, operator, ...(values ? { values } : {}) }],
});

test.for([
  { name: 'no selector', selector: undefined, fits: false },
  { name: 'an empty selector', selector: {}, fits: true },
  { name: 'a label', selector: { matchLabels: { app: 'rook-ceph-osd' } }, fits: true },
  { name: 'a label with another value', selector: { matchLabels: { app: 'rook-ceph-mon' } }, fits: false },
  { name: 'two labels, of which one is missing', selector: { matchLabels: { app: 'rook-ceph-osd', x: '' } } },
  { name: 'In', selector: expression('zone', 'In', ['x', 'y']), fits: true },
  { name: 'In without the key', selector: expression('rack', 'In', ['x']), fits: false },
  { name: 'NotIn', selector: expression('osd', 'NotIn', ['2']), fits: false },
  { name: 'NotIn with other values', selector: expression('osd', 'NotIn', ['1', '3']), fits: true },
  { name: 'NotIn without the key', selector: expression('rack', 'NotIn', ['x']), fits: true },
  { name: 'Exists', selector: expression('zone', 'Exists'), fits: true },
  {
    name: 'Exists of what every object inherits',
    selector: expression('constructor', 'Exists'),
    fits: false,
  },
  { name: 'DoesNotExist', selector: expression('zone', 'DoesNotExist'), fits: false },
  { name: 'DoesNotExist without the key', selector: expression('rack', 'DoesNotExist'), fits: true },
  { name: 'an operator that nobody knows', selector: expression('zone', 'Like', ['y']), fits: false },
  {
    name: 'a label and an expression, both',
    selector: { matchLabels: { zone: 'y' }, ...expression('osd', 'NotIn', ['2']) },
    fits: false,
  },
])('$name', ({ selector, fits = false }) => {
  expect(structuredSelector(selector)(osd)).toBe(fits);
});

test('an object without labels has none', () => {
  expect(structuredSelector({ matchLabels: { app: 'x' } })(undefined)).toBe(false);
  expect(structuredSelector(expression('app', 'DoesNotExist'))(undefined)).toBe(true);
});
