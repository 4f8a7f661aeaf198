/**
 * The three functions that the dependency injection inside the X.509 library wants of `Reflect`; its classes have no
 * constructor parameters, so no more is ever asked of them.
 */
export function provideReflection(): void {
  if ('getMetadata' in Reflect) return;
  const known = new WeakMap<object, Map<unknown, unknown>>();
  const getOwnMetadata = (key: unknown, target: object): unknown => known.get(target)?.get(key);
  const getMetadata = (key: unknown, target: object): unknown => {
    const parent: unknown = Object.getPrototypeOf(target);
    const own = getOwnMetadata(key, target);
    return own === undefined && isObject(parent) ? getMetadata(key, parent) : own;
  };
  const defineMetadata = (key: unknown, value: unknown, target: object): void => {
    const entries = known.get(target) ?? new Map<unknown, unknown>();
    known.set(target, entries.set(key, value));
  };
  Object.assign(Reflect, { getOwnMetadata, getMetadata, defineMetadata });
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
