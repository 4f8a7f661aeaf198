import type { DependencyType, IForbiddenRuleType } from 'dependency-cruiser';
import { MAY_IMPORT, PURE } from './layers.ts';

const TESTS = '[.]test[.]ts$';
const BUILT_IN: DependencyType[] = ['core'];
const INSTALLED: DependencyType[] = [
  'npm',
  'npm-dev',
  'npm-optional',
  'npm-peer',
  'npm-bundled',
  'npm-no-pkg',
  'npm-unknown',
];

interface Rule {
  readonly name: string;
  readonly comment: string;
  readonly from: { readonly path?: string; readonly pathNot?: string };
  readonly to: {
    readonly path?: string;
    readonly pathNot?: string | string[];
    readonly dependencyTypes?: DependencyType[];
    readonly couldNotResolve?: boolean;
  };
}

const rules: readonly Rule[] = [
  ...[...MAY_IMPORT].map(([name, below]) => pointsDown(name, below)),
  {
    name: 'package-has-a-layer',
    comment: 'A new package gets its place in scripts/check/layers.ts.',
    from: { path: `^pkg/(?!(${[...MAY_IMPORT.keys()].join('|')})/)` },
    to: {},
  },
  {
    name: 'pkg-stays-below',
    comment: 'Packages know neither the command line, nor scripts, nor tests.',
    from: { path: '^pkg/' },
    to: { path: '^(cmd|scripts|test)/' },
  },
  {
    name: 'cmd-ships-alone',
    comment: 'What is shipped does not need scripts or tests.',
    from: { path: '^cmd/' },
    to: { path: '^(scripts|test)/' },
  },
  {
    name: 'through-the-front-door',
    comment: 'Import another package through its index.ts (#pkg/NAME).',
    from: { path: '^pkg/([^/]+)/' },
    to: { path: '^pkg/', pathNot: ['^pkg/$1/', '^pkg/[^/]+/index[.]ts$'] },
  },
  {
    name: 'through-the-front-door-from-outside',
    comment: 'Import a package through its index.ts (#pkg/NAME).',
    from: { path: '^(cmd|scripts)/' },
    to: { path: '^pkg/', pathNot: '^pkg/[^/]+/index[.]ts$' },
  },
  {
    name: 'pure-without-node',
    comment: 'The core computes; only hashing is taken from Node.',
    from: { path: `^pkg/(${PURE.join('|')})/` },
    to: { dependencyTypes: BUILT_IN, pathNot: '^(node:)?crypto$' },
  },
  {
    name: 'pure-without-npm',
    comment: 'The core needs no packages of others.',
    from: { path: `^pkg/(${PURE.join('|')})/` },
    to: { dependencyTypes: INSTALLED },
  },
  {
    name: 'one-importer-of-the-client',
    comment: 'Only pkg/kube knows the Kubernetes client; scripts/shims holds its substitutes.',
    from: { path: '^(cmd|pkg|scripts)/', pathNot: '^(pkg/kube|scripts/shims)/' },
    to: { path: '@kubernetes/client-node' },
  },
  {
    name: 'resolvable',
    comment: 'The import must lead somewhere.',
    from: {},
    to: { couldNotResolve: true },
  },
];

/** Tests may import anything, so no rule starts at one. */
export const importRules: IForbiddenRuleType[] = rules.map((rule) => ({
  ...rule,
  from: { ...rule.from, pathNot: [TESTS, rule.from.pathNot ?? []].flat() },
  severity: 'error',
}));

function pointsDown(name: string, below: readonly string[]): Rule {
  return {
    name: `${name}-imports-point-down`,
    comment: `pkg/${name} may import ${below.join(', ')}.`,
    from: { path: `^pkg/${name}/` },
    to: { path: `^pkg/(?!(${[name, ...below].join('|')})/)` },
  };
}
