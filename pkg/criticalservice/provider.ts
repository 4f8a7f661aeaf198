import { isTerminating, type KubeObject } from '#pkg/object';
import type { CriticalService } from './critical-service.ts';
import { isDefined, lookAt, NOT_SERVED, whyNot, type LivePorts } from './live-criteria.ts';
import { ANY_TYPE, refTo, resourceName } from './resources.ts';

/** Why a service may not go, by its policy; undefined when it may. */
export async function whyServiceStays(
  service: CriticalService,
  ports: LivePorts,
  signal: AbortSignal,
): Promise<{ readonly why: string; readonly isDoubt: boolean } | undefined> {
  const { deletionPolicy, seenUid } = service;
  if (deletionPolicy === 'Orphan') return undefined;
  const found = await findProvider(service, ports, signal);
  if (found.kind === 'absent') return undefined;
  if (found.kind === 'unknown')
    return deletionPolicy === 'Strict' ? { why: found.reason, isDoubt: true } : undefined;
  const state = isTerminating(found.object) ? 'is being deleted, and still exists' : 'still exists';
  if (deletionPolicy === 'Strict') return { why: state, isDoubt: false };
  if (seenUid !== undefined && found.object.metadata.uid !== seenUid) return undefined;
  const standings = await Promise.all(service.criteria.map((one) => lookAt(one, ports, signal)));
  const isUnmet = standings.some(({ state: standing }) => standing === 'unmet');
  return isUnmet ? { why: `${state}, and its criteria are not met`, isDoubt: false } : undefined;
}

export type Found =
  | { readonly kind: 'present'; readonly object: KubeObject }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly reason: string };

/** The provider as the server has it now. Of a kind that does not exist there is none. */
export async function findProvider(
  { provider }: CriticalService,
  ports: LivePorts,
  signal: AbortSignal,
): Promise<Found> {
  const types = await ports.types(ANY_TYPE, signal);
  const ref = refTo(provider, types);
  const failure = ref ? undefined : types.failureOf({ group: provider.group, kind: provider.resource });
  if (failure) return { kind: 'unknown', reason: failure };
  try {
    if (!ref)
      return (await isDefined(provider, ports, signal))
        ? { kind: 'unknown', reason: NOT_SERVED }
        : { kind: 'absent' };
    const object = await ports.get(ref, signal);
    return object ? { kind: 'present', object } : { kind: 'absent' };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'unknown', reason: whyNot(error, resourceName(provider)) };
  }
}
