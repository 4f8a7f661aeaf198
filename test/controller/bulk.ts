import { setTimeout as sleep } from 'node:timers/promises';
import { textAt, type KubeObject } from '#pkg/object';
import type { Client, Target } from './client.ts';
import { criticalService, deployment, goneFirst, noFinalizer, providerOf } from './critical-objects.ts';
import { namespace } from './objects.ts';

export const BULK_GROUP = 'bulk.example.com';
const FINALIZER = `${BULK_GROUP}/super-important`;
const PACE_MS = 300;
const PATIENCE_MS = 120_000;

/** All that the story of the proposal deletes at once. */
export interface Bulk {
  readonly service: Target;
  readonly namespace: Target;
  readonly deployment: Target;
  readonly definition: Target;
  readonly instance: Target;
}

export function bulk(id: string, replayDeletion: boolean): Bulk {
  const plural = `cool${id}s`;
  const definition = definitionOf(plural, `Cool${id}`);
  const server = deployment(`finalizer-${id}`, 'finalizer-deployment');
  const criteria = [
    noFinalizer(plural, FINALIZER, BULK_GROUP),
    goneFirst(definition, 'apiextensions.k8s.io', 'CustomResourceDefinition'),
  ];
  return {
    service: criticalService(`for-finalizer-${id}`, {
      provider: providerOf(server),
      criteria,
      ...(replayDeletion ? { replayDeletion } : {}),
    }),
    namespace: namespace(`finalizer-${id}`),
    deployment: server,
    definition,
    instance: {
      apiVersion: `${BULK_GROUP}/v1`,
      kind: `Cool${id}`,
      metadata: { name: 'some-instance', namespace: 'default', finalizers: [FINALIZER] },
    } as Target,
  };
}

function definitionOf(plural: string, kind: string): Target {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${BULK_GROUP}` },
    spec: {
      group: BULK_GROUP,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  } as Target;
}

/** Finalizes the instance for as long as its Deployment exists, and not a moment longer. */
export async function standIn(
  { instance, deployment: own }: Bulk,
  client: Client,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const isDue = (await client.read(instance))?.metadata.deletionTimestamp !== undefined;
    if (isDue && (await client.read(own))) await client.patch(instance, { metadata: { finalizers: null } });
    await sleep(PACE_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Deletes as an agent does: whatever is left, again and again. */
export async function deleteUntilGone(targets: readonly Target[], client: Client): Promise<void> {
  let left = targets;
  for (const deadline = Date.now() + PATIENCE_MS; left.length > 0 && Date.now() < deadline;) {
    const stay: Target[] = [];
    for (const target of left) if ((await client.delete(target)).status !== 404) stay.push(target);
    left = stay;
    await sleep(PACE_MS);
  }
}

/**
 * Looks until all are gone. Returns what went out of order, and what is left. What is read first must not be further
 * than what is read after it: so nothing that happens between two reads is taken for a fault.
 */
export async function watchOrder(all: Bulk, client: Client): Promise<readonly string[]> {
  const faults = new Set<string>();
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(PACE_MS)) {
    const service = await client.read(all.service);
    const server = await client.read(all.deployment);
    const home = await client.read(all.namespace);
    const definition = await client.read(all.definition);
    const instance = await client.read(all.instance);
    if (!service && server) faults.add('the CriticalService went before the Deployment');
    for (const [name, object] of [
      ['Deployment', server],
      ['Namespace', home],
    ] as const) {
      if (isGoing(object) && instance) faults.add(`the ${name} went before the instance`);
      if (isGoing(object) && definition) faults.add(`the ${name} went before the definition`);
    }
    const left = [service, server, home, definition, instance].filter((object) => object !== undefined);
    if (left.length === 0) return [...faults];
  }
  return [...faults, 'not everything is gone'];
}

function isGoing(object: KubeObject | undefined): boolean {
  return !object || textAt(object, 'metadata', 'deletionTimestamp') !== undefined;
}

/** The same for the same seed. */
function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  let state = (seed + 1) * 2_654_435_761;
  const random = (): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
    return state / 2 ** 32;
  };
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as T);
}

/** So many different orders of so many things, each as its positions. */
export function distinctOrders(count: number, length: number): readonly (readonly number[])[] {
  const positions = Array.from({ length }, (_, at) => at);
  const orders = new Map<string, readonly number[]>();
  for (let seed = 0; orders.size < count; seed++) {
    const order = shuffled(positions, seed);
    orders.set(order.join(), order);
  }
  return [...orders.values()];
}

/** Runs all, at most so many at a time. */
export async function inParallel<T>(
  count: number,
  width: number,
  work: (at: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) results[at] = await work(at);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
