import type { Census, CensusRequest, CensusTaker } from '#pkg/kube';
import { kindKey } from '#pkg/object';

/**
 * One census of a kind at a time: of ten thousand objects each is megabytes. Who asks while one is under way shares the
 * next, for the first may have begun before what he must know of.
 */
export function sharedCensus(take: CensusTaker, limitMs: number): CensusTaker {
  const underWay = new Map<string, Promise<unknown>>();
  const following = new Map<string, Promise<Census>>();

  function begin(key: string, request: CensusRequest): Promise<Census> {
    const census = take(request, AbortSignal.timeout(limitMs));
    const ended = census
      .catch(() => undefined)
      .then(() => {
        if (underWay.get(key) === ended) underWay.delete(key);
      });
    underWay.set(key, ended);
    return census;
  }

  return (request) => {
    const key = `${kindKey(request.kind)} ${request.namespace ?? ''}`;
    const next = following.get(key);
    if (next) return next;
    const before = underWay.get(key);
    if (!before) return begin(key, request);
    const follower = before.then(() => {
      following.delete(key);
      return begin(key, request);
    });
    following.set(key, follower);
    return follower;
  };
}
