import type { CensusTaker } from '#pkg/kube';
import { kindKey } from '#pkg/object';
import { shared } from './shared.ts';

/** One census of a kind at a time: of ten thousand objects each is megabytes. */
export function sharedCensus(take: CensusTaker, limitMs: number): CensusTaker {
  return shared(take, ({ kind, namespace }) => `${kindKey(kind)} ${namespace ?? ''}`, limitMs);
}
