import type { Watcher, WatchEvent } from '#pkg/kube';
import type { GroupKind, KubeObject } from '#pkg/object';
import { holderName } from './live-criteria.ts';

/** What a watch has told so far: complete up to its version, and perhaps late. */
export interface Known {
  readonly resourceVersion: string;
  readonly names: Iterable<string>;
}

export interface HolderPorts {
  readonly watcher: Watcher;
  known(kind: GroupKind, finalizer: string): Known | undefined;
  readonly limits?: typeof LIMITS;
}

/**
 * `page`: so many objects cost the server hardly more than one, and are all there is to most kinds. `many`: with more
 * than these to come, the server says sooner that nothing has changed than it lists them.
 */
const LIMITS = { page: 1_000, many: 10_000 };
/** The shortest watch at whose end a server says how far it has told. */
const WATCH_SECONDS = 3;

/**
 * The objects with a finalizer, not older than this call. Of a kind with many objects, only what has changed since the
 * watch last told of it is read: to list 100,000 takes seconds and as much memory as we have.
 */
export async function currentHolders(
  kind: GroupKind,
  finalizer: string,
  ports: HolderPorts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { page, many } = ports.limits ?? LIMITS;
  const selection = { kind, detail: 'metadata' } as const;
  let isFirst = true;
  for await (const { items, resourceVersion, remaining = 0 } of ports.watcher.pages(
    selection,
    page,
    signal,
  )) {
    const names = items.filter((object) => has(object, finalizer)).map(holderName);
    // One is enough to refuse; how many there are, the watch will tell.
    if (names.length > 0) return names;
    const caughtUp =
      isFirst && remaining > many
        ? await catchUp(kind, finalizer, resourceVersion, ports, signal)
        : undefined;
    if (caughtUp) return caughtUp;
    isFirst = false;
  }
  return [];
}

/** Undefined when it cannot be done so: then there is nothing for it but to read on. */
async function catchUp(
  kind: GroupKind,
  finalizer: string,
  version: string,
  ports: HolderPorts,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const known = ports.known(kind, finalizer);
  if (!known) return undefined;
  const names = new Set(known.names);
  if (isAtLeast(known.resourceVersion, version)) return [...names];
  const request = { kind, detail: 'metadata', timeoutSeconds: WATCH_SECONDS } as const;
  const from = { ...request, resourceVersion: known.resourceVersion };
  for await (const event of ports.watcher.watch(from, signal)) {
    if (event.kind === 'error') return undefined;
    if ('object' in event) apply(event, finalizer, names);
    if (isAtLeast(versionOf(event), version)) return [...names];
  }
  return undefined;
}

function apply(
  { kind, object }: Extract<WatchEvent, { readonly object: KubeObject }>,
  finalizer: string,
  names: Set<string>,
): void {
  if (kind !== 'deleted' && has(object, finalizer)) names.add(holderName(object));
  else names.delete(holderName(object));
}

function versionOf(event: WatchEvent): string {
  if (event.kind === 'bookmark') return event.resourceVersion;
  return 'object' in event ? (event.object.metadata.resourceVersion ?? '') : '';
}

/** Versions are numbers of any length. */
function isAtLeast(a: string, b: string): boolean {
  return /^\d+$/.test(a) && /^\d+$/.test(b) && BigInt(a) >= BigInt(b);
}

function has({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}
