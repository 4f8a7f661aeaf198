/**
 * Who may import whom in pkg/: the whole list. Names are folders. Below means imported; what is not listed for a
 * package, it may not import.
 */
const BASE = ['object', 'clock', 'log'];
const PORTS = ['kube', 'snapshot', 'ceph'];
const CORE = ['graph', 'rules', 'verdict', 'render'];
const ENGINE = ['runtime', 'cache', 'admission', 'protection', 'drain'];
const FEATURES = [
  'dependents',
  'usage',
  'criticalservice',
  'storageclaim',
  'disruption',
  'maintenance',
  'install',
  'teardown',
];

/** Looks at what all others have done. */
const DIAGNOSIS = 'check';

/** Packages that compute and nothing else: neither input nor output, and no packages of others. */
export const PURE: readonly string[] = ['object', ...CORE];

/** Each package with the packages it may import besides itself. */
export const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map([
  ...layer(BASE, BASE),
  ...layer(PORTS, BASE),
  // Each of the core sees only those before it.
  ...CORE.map((name, index) => [name, [...BASE, ...CORE.slice(0, index)]] as const),
  ...layer(ENGINE, [...BASE, ...PORTS, ...CORE, ...ENGINE]),
  // Features do not know each other: what two of them need belongs below.
  ...layer(FEATURES, [...BASE, ...PORTS, ...CORE, ...ENGINE]),
  [DIAGNOSIS, [...BASE, ...PORTS, ...CORE, ...ENGINE, ...FEATURES]],
]);

function layer(names: readonly string[], below: readonly string[]): [string, readonly string[]][] {
  return names.map((name) => [name, below.filter((other) => other !== name)]);
}
