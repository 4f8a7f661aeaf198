import { listAt, textAt, type KubeObject } from '#pkg/object';
import { apiErrorOf, type ApiError } from './api-error.ts';
import type { Transport } from './transport.ts';

/** How an eviction was taken. */
export type EvictionAnswer =
  | { readonly kind: 'evicted' | 'gone' }
  /** A budget says no: 429, or 500 when more than one selects the pod. */
  | { readonly kind: 'held'; readonly message: string };

const TWO_BUDGETS = /more than one PodDisruptionBudget/;

/** A pod of the same name with another UID is left alone. Throws what is neither done nor held by a budget. */
export type PodEviction = (
  pod: KubeObject,
  options: { readonly dryRun: boolean },
  signal: AbortSignal,
) => Promise<EvictionAnswer>;

/** Evicts pods by the eviction API, which heeds budgets. */
export function podEviction(transport: Transport): PodEviction {
  return async ({ metadata }, { dryRun }, signal) => {
    const { namespace = '', name, uid } = metadata;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`;
    const deleteOptions = {
      ...(uid ? { preconditions: { uid } } : {}),
      ...(dryRun ? { dryRun: ['All'] } : {}),
    };
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions,
    };
    const query = dryRun ? { dryRun: 'All' } : undefined;
    const answer = await transport.request(
      { method: 'POST', path, query, body: JSON.stringify(eviction) },
      signal,
    );
    if (answer.status >= 200 && answer.status <= 299) return { kind: 'evicted' };
    // 409: another pod has taken its name, so this one is gone.
    if (answer.status === 404 || answer.status === 409) return { kind: 'gone' };
    const error = apiErrorOf(answer, 'POST');
    if (isOfBudget(error)) return { kind: 'held', message: causeOf(error) };
    throw error;
  };
}

function isOfBudget({ status, serverMessage }: ApiError): boolean {
  return status === 429 || (status === 500 && TWO_BUDGETS.test(serverMessage));
}

/** `The disruption budget x needs 3 healthy pods and has 3 currently`: the server says it in a cause. */
function causeOf({ details, serverMessage }: ApiError): string {
  const cause = listAt(details, 'causes').find((one) => textAt(one, 'reason') === 'DisruptionBudget');
  return textAt(cause, 'message') ?? serverMessage;
}
